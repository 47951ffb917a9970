"""A verdict on a closed question rests on sentences about what was asked, by the whole name."""

from rows import each_row

from medground.answering.conclude.critic_reading import names_a_relative
from medground.language.question_reading import Asked


@each_row(
    ("asked", "sentence", "is_relative"),
    [
        ("Is vasopressin used in diabetes insipidus?", "Diabetes mellitus is treated with insulin.", True),
        ("Does aspirin prevent myocardial infarction?", "Aspirin reduced cerebral infarction.", True),
        ("Is rheumatic fever caused by streptococci?", "Scarlet fever is caused by streptococci.", True),
        ("Is metformin useful in type 2 diabetes?", "Metformin lowers glucose in diabetes.", False),
        ("Is lupus treated with belimumab?", "Belimumab is approved for systemic lupus erythematosus.", False),
        ("Does aspirin prevent heart disease?", "Aspirin did not harm those with kidney disease.", False),
    ],
)
def test_a_sentence_on_something_of_a_like_name_gives_no_verdict(asked: str, sentence: str, is_relative: bool) -> None:
    assert names_a_relative(Asked(asked), sentence) is is_relative
