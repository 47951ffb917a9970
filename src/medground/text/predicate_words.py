"""Words by what they can be in a question: facts of English and of the field, as sets.

The verbs were collected from words that follow `can`, `may` or `to` in open abstracts, and sorted by how often the same
word is a noun there.
"""

from __future__ import annotations

_VERBS = """
    abolish accelerate accommodate accompany account achieve acquire activate adapt add address adhere adjust adopt
    affect afford aggravate agree alleviate allow alter ameliorate amplify antagonize appear apply arise assess
    assist associate assure attend attenuate attract augment avoid be become begin behave belong bind bring broaden
    carry characterize choose circumvent clarify cleave coincide collect combat come commence compensate complicate
    comprise compromise conceal confer confirm confound connect consider consist constitute consume contain
    continue contradict contribute convert convey correlate correspond counteract create deactivate decelerate
    deepen define degrade delineate deliver demonstrate depend deplete depress derive describe deserve destroy
    detect deter deteriorate determine develop deviate diagnose differ differentiate diminish discourage
    discriminate disrupt distinguish divide do dominate downregulate elevate elicit eliminate elucidate emerge
    employ enable encode encourage enhance enlarge enrich ensure entail enter eradicate establish estimate evaluate
    evolve exacerbate exceed excrete exert exhibit exist expand expect explain explore extend facilitate fail follow foster
    fulfil fulfill generate get give govern grow guarantee halt happen harbor harbour have heighten hinder
    hydrolyze identify ignore illustrate imitate impair impede imply impose improve include incorporate induce
    infect infer inform inhibit initiate integrate intensify interact interfere interrupt introduce invade involve
    justify keep know lead learn lengthen lessen localize loosen lose maintain make manage manifest maximize
    mediate meet merit migrate mimic minimise minimize misrepresent mitigate modify modulate necessitate neutralize
    normalise normalize obscure obstruct obtain obviate occur offer offset operate optimise optimize originate
    outperform outweigh overcome overestimate oversee participate penetrate perceive perform permeate permit
    perpetuate persist phosphorylate pose possess potentiate precede precipitate preclude predict predispose prefer
    prescribe preserve presume prevail prevent proceed produce proliferate prolong promote protect prove provide
    provoke reactivate realize recall receive recognise recognize recommend recover recur redistribute reduce refer
    reflect regain regenerate regulate reinforce relate relax rely remain remove render replace replicate represent
    reproduce require rescue resolve respond restore restrict retain reveal satisfy scavenge secrete seek seem
    sensitize serve shorten simplify simulate solve stabilise stabilize stimulate strengthen suffer suffice suggest
    suppress surpass survive sustain swallow synthesize tackle take tell tend think thrive tolerate transcribe
    transform transmit treat underestimate undergo underlie undermine understand undertake upregulate utilise
    utilize validate vary verify visualise visualize warrant widen withstand worsen
"""
VERBS = frozenset(_VERBS.split())
"""Base forms that are rarely nouns."""

_OFTEN_VERBS = """
    benefit boost cause confine cure decrease escape express favor favour help increase influence lack limit lower
    play progress raise reach read result return reverse save show sleep slow stop substitute yield
"""
OFTEN_VERBS = frozenset(_OFTEN_VERBS.split())
"""Base forms that are verbs or nouns about as often."""

_SELDOM_VERBS = """
    access act aid answer approach block bridge change claim close compete contact control cope cost count cover
    cross damage deal decline delay die display drive drop experience face fall feel fight find fit form function
    gain guide harm hold impact leave like link live look match matter mean measure moderate mount move need open
    own pass pay present prompt question rank rise run separate share shift signal sort spare spread start stay
    suit support switch target trigger trust turn use want warn work
"""
SELDOM_VERBS = frozenset(_SELDOM_VERBS.split()) - VERBS
"""Base forms that are more often nouns or adjectives."""

_STATES = """
    able abnormal absent acceptable accessible accurate active adequate advantageous advisable affordable
    anti-apoptotic applicable appropriate available aware beneficial best capable common comparable compatible competent
    complete compliant confident consistent correct cost-effective crucial curable dangerous deficient dependent
    desirable detectable detrimental different difficult distinct due effective efficacious efficient eligible
    enough equal equivalent essential evident excessive expensive feasible frequent functional generalizable
    harmful harmless helpful hereditary heritable identical immune important inadequate independent indispensable
    infectious inferior intact justifiable liable likely mandatory meaningful necessary normal obsolete part
    permanent possible practicable practical precise predictable predictive predictors preferable prepared present
    prevalent preventable prognostic prone protective rare ready realistic reasonable redundant relevant reliable
    representative reproducible resistant responsible responsive reversible safe satisfactory sensitive significant
    similar specific stable sufficient suitable superfluous superior susceptible sustainable tolerable toxic
    transferable transient treatable true typical unaffected unaware unchanged underdiagnosed underestimated
    underreported undertreated underused unhealthy universal unlikely unnecessary unrelated unsafe useful useless
    valid valuable viable visible vulnerable widespread willing worth worthwhile low high poor good strong weak positive negative apparent transparent unable satisfying
"""
STATES = frozenset(_STATES.split())
"""Adjectives and the like that are said of a subject."""

_LARGER = """
    better cheaper easier faster fewer greater harder healthier heavier higher larger longer lower older poorer
    rarer safer shorter sicker slower smaller stronger thicker thinner weaker worse younger
"""
AFTER_NOUN = frozenset("due eligible negative positive prone resistant similar".split())
"""Adjectives that often belong to the noun before them: `bleeding due to aspirin`."""
LARGER = frozenset(_LARGER.split())

_PARTICIPLES = """
    begun born bound broken built caught cut driven felt found given grown held hidden hit kept known led left lost made
    meant met overcome paid proven put read risen run seen sent set shown shut spread split taken taught thought
    understood undergone withdrawn written
"""
PARTICIPLES = frozenset(_PARTICIPLES.split())
"""Irregular ones; the others end in `ed`."""

NOT_PARTICIPLES = frozenset("based bed bleed breed combined compared feed hundred infrared need red seed shed speed".split())

_DECIDED = """
    accepted affected altered approved assessed associated caused characterized considered correlated decreased
    defined detected determined developed down-regulated employed encoded established evaluated explained expressed
    found implicated improved increased indicated induced influenced involved justified known linked localized
    mediated metabolized needed overexpressed prescribed produced recommended reduced regulated related reported
    required secreted seen studied supported targeted tested thought treated up-regulated used warranted
"""
DECIDED = frozenset(_DECIDED.split())
"""Participles that are the predicate although another one follows (`is used to treat cells infected with`)."""

FINAL = frozenset(
    "altered decreased impaired increased indicated justified needed recommended reduced required underestimated warranted".split()
)
"""Participles that are the predicate where they stand last."""

_ING_NOUNS = """
    according ageing aging being binding bleeding breastfeeding breeding brushing clamping cloning clustering
    coding concerning containing coping counseling counselling crossing dressing drilling drinking driving during
    eating editing excluding feeding finding following functioning grading grafting having healing hearing housing
    imaging including ing involving lacking learning lengthening ligating lightening listening loading mapping
    matching meeting modeling monitoring nailing nursing pacing parenting placing planning plating processing
    profiling reading reasoning regarding reporting resurfacing scanning scoring screening sequencing setting
    shaving signaling signalling sleeping smoking snoring spacing speaking splicing staging stapling stenting
    suturing swelling swimming teaching testing thinking timing training typing undergoing using vaping vomiting
    walking weaning well-being wheezing working
"""
ING_NOUNS = frozenset(_ING_NOUNS.split())
"""Words in `ing` that are nouns, or that stand before one like a preposition."""

_PREPOSITIONS = """
    about above according across after against along alongside among amongst around as at because before behind
    below beneath beside between beyond by concerning despite down due during except following for from in
    including inside into like near of off on onto out outside over per regarding since than through throughout
    till to toward towards under until up upon using via with within without worldwide
"""
PREPOSITIONS = frozenset(_PREPOSITIONS.split())

_DETERMINERS = """
    a all an another any both each either every his her its my no our some that the their these this those your
"""
DETERMINERS = frozenset(_DETERMINERS.split())
ARTICLES = ("a", "an", "the")
SUBORDINATE = frozenset(
    "although because how if that what when where whereas wherein whether which while who whom whose why".split()
)
ADVERBS = frozenset(
    "actually almost already first later now then therefore also always as even ever frequently highly less likely more most mostly much necessarily often once only quite "
    "rather really so sometimes somewhat still thus too truly very well".split()
)
IN_STATE = (
    "at risk",
    "at increased risk",
    "at an increased risk",
    "at a higher risk",
    "at greater risk",
    "at high risk",
    "at higher risk",
    "in danger",
    "in higher risk",
    "in need",
    "in use",
    "of any value",
    "of benefit",
    "of clinical relevance",
    "of clinical value",
    "of importance",
    "of interest",
    "of prognostic value",
    "of use",
    "of value",
)
"""What is said of a subject in the form of a preposition and a noun."""
NOUN_ENDINGS_OF_ADJECTIVES = frozenset(
    "animal antibiotic approval arrival arsenic clinic critic dental epidemic festival gel hospital individual interval "
    "journal level logic manual material meal metal method metric mineral music pandemic panel professional protocol "
    "rehearsal removal renal retrieval reversal rival signal statistic survival topic traffic trial withdrawal alternative "
    "perspective objective incentive relative adjective motive narrative additive initiative cable table variable vegetable "
    "academic tactic cosmetic diuretic analgesic anesthetic anaesthetic antipsychotic".split()
)
"""Nouns that look like adjectives."""
