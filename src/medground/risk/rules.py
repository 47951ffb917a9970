"""The rules: which wordings mean that a person is at risk. Edit them here; `benchmarks/risk.py` measures them.

A rule is a pattern over plain words (`words.py`: lower case, no apostrophes, `.` between sentences). In a pattern,
`<name>` stands for one of the word lists below, and `...` for up to eight words of the same sentence, none of them a
negation. A rule fires when its pattern occurs and nothing of its `unless` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from medground.notice import NoticeKind

LISTS = {
    "kin": (
        "(?:son|daughter|teen|teenager|child|children|kids?|baby|babies|newborn|infant|toddler|boy|girl|twins?|wife|husband|partner|spouse|"
        "fiancee?|boyfriend|girlfriend|bf|gf|mother|mom|mum|mama|mommy|mummy|father|dad|papa|daddy|parents?|brother|sister|"
        "sibling|grand(?:ma|pa|mother|father|son|daughter|child)|granny|nan|gran|uncle|aunt(?:ie)?|cousin|niece|nephew|"
        "friend|mate|roommate|flatmate|neighbou?r|colleague|coworker|classmate|student|teacher|ex|family)s?|"
        "(?:\\d+|one|two|three|four|five|six|seven|eight|nine|ten) (?:day|week|month|year)s? old"
    ),
    "one": "(?:i|we|(?:my|our) (?:\\w+ ){0,3}?(?:<kin>)|the (?:baby|toddler|kids?)|^(?:help )?(?:<kin>))",
    "other": "(?:(?:my|our) (?:\\w+ ){0,3}?(?:<kin>)|he|she|they|someone|somebody)",
    "stranger": "(?:he|she|someone|somebody|(?:a|this|the) (?:man|woman|guy|lady|child|person|boy|girl|kid|stranger))",
    "themself": "(?:him ?self|her ?self|them ?sel(?:f|ves))",
    "no": "not|no|never|without|dont|didnt|doesnt|isnt|arent|wasnt|havent|hasnt|hadnt|wouldnt|denie[sd]|neither|nor",
    "talk": "(?:risk|chances?|odds|prevent\\w*|avoid\\w*|likely|ever|causes?|fear|why)",
    "drug": (
        "(?:medic(?:ine|ation|ament)s?|drugs?|pills?|tablets?|capsules?|dos(?:e|es|age)|antibiotics?|antidepressants?|ssris?|"
        "statins?|steroids?|painkillers?|insulin|aspirin|ibuprofen|paracetamol|acetaminophen|tylenol|advil|metformin|"
        "warfarin|melatonin|opioids?|opiates?|heroin|cocaine|morphine|fentanyl|methadone|codeine|tramadol|oxycodone|valium|"
        "xanax|cannabis|cbd|marijuana|birth control|semaglutide|naltrexone|ketamine|ozempic|effexor|paxil|wegovy|viagra|humira|lyrica|nicotine|prozac|eliquis|lexapro|zoloft|adderall|ritalin|inhalers?|contracepti\\w+|hormones?|hrt|vitamins?|supplements?|creams?|drops|injections?|"
        "beta ?blockers?|blood thinners?|anticoagulants?|antihistamines?|chemo\\w*|prescription|sleeping|"
        "\\w{2,}(?:pril|sartan|olol|statin|azole|cillin|mycin|oxacin|mab|nib|pam|lam|idone|apine|oxetine|traline|gliptin|"
        "flozin|glutide|parin|xaban|gatran|dipine|thyroxine|profen|prazole|sone|solone|triptan|setron|formin|zide|semide|"
        "barbital|gabalin|pentin|vir|cycline|lithium)|lithium|valproate|levodopa|digoxin|clopidogrel|methotrexate)"
    ),
    "care": (
        "(?:vaccin\\w*|jab|shots?|booster|surger\\w+|operation|operate|operated|transplant|dialysis|radi(?:ation|otherapy)|"
        "immunotherapy|biopsy|mri|scan|mammogram|psa|stents?|bypass|pacemaker|implants?|braces|treat(?:ed|ment|ments)?|"
        "therapy|transfusion|abortion|epidural|caesarean|c section|ivf|screened|tested|test|"
        "(?:knee|hip|joint|valve|hormone) replacement|removed|amputat\\w*|circumcis\\w*|root canal|laser|lasik|cpap|hospice|palliative|counsell?ing|"
        "\\w{2,}(?:ectomy|plasty|oscopy|otomy|ostomy|therapy))"
    ),
    "decide": (
        "(?:stop|quit|start|restart|resume|continue|keep|take|skip|switch|change|increase|reduce|decrease|lower|raise|"
        "double|halve|taper|wean|come off|go off|get off|be off|be on|go on|mix|combine|crush|split|inject|swallow|avoid|delay|"
        "refuse|cut|drop|try|give|use|apply|put|finish)"
    ),
    "poison": (
        "(?:bleach|(?:button )?batter(?:y|ies)|detergent|antifreeze|pesticide|insecticide|weed ?killer|(?:rat )?poison|"
        "paint|petrol|gasoline|gas|kerosene|diesel|cleaner|cleaning|disinfectant|magnets?|coins?|pills?|tablets?|medicine|"
        "medication|nail polish|lighter fluid|mushrooms?|berries|edibles?|gumm(?:y|ies)|glass|needle|pin|peroxide|acid|"
        "laundry|pods?|caustic|lye|sanitizer|nicotine|thinner|turpentine|mercury|mothballs?|<drug>)"
    ),
}

OLD = (
    r"\b(?:years?|months?|weeks?|decades?) ago|\blast (?:year|month|summer|winter|spring|autumn|decade)|"
    r"\bin (?:19|20)\d\d\b|\bwhen (?:i|he|she) was (?:a |\d|young|little)|\bas a child\b|\bused to\b|\bhistory of\b|"
    r"\b(?:died|passed away) (?:of|from|after)\b"
)
"""What happened long ago is no emergency."""

SCHOLAR = (
    r"\b(?:patients|studies|evidence|papers?|articles?|my patient|our patient|cohorts?|meta analys\w+|systematic|literature|thesis|essay|manuscript|dissertation|"
    r"grant|protocol|trials?|regression|dataset|data set|mice|mouse|rats?(?! poison)|cell lines?|assay|primers?|pubmed|exam|"
    r"publish|cite|journal|control group|statistic\w*|lecture|lesson|curriculum)\b|(?<!i am )\ba (?:\w+ )?patient (?:with|who)\b|"
    r"\bi (?:am|was) (?:writing|researching|studying|reviewing|teaching|reading|preparing|designing)\b|"
    r"\bwhich of the following\b|\bguidelines?\b"
)
"""Words of people who study, teach or treat. They excuse everything but self-harm."""

VIGNETTE = r"\bmiddle aged\b|\bbrought (?:to|in)\b|\bpresent(?:s|ed) (?:with|to)\b|\bdiagnosis\b|\bnext (?:best )?step\b|\bmanagement\b|\ban? (?:\d+|\w+) (?:day|week|month|year|yr)s? old\b|\bwhich of the following\b|\b(?:the|a|an) patient\b"


@dataclass(frozen=True)
class Rule:
    """One kind of wording; `pattern` must occur, `unless` must not."""

    kind: NoticeKind
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None


def _compiled(pattern: str) -> re.Pattern[str]:
    for _ in range(3):  # lists may name lists
        for name, words in LISTS.items():
            pattern = pattern.replace(f"<{name}>", words)
    gap = rf"(?:(?!(?:{LISTS['no']}|{LISTS['talk']}) )\w+ ){{0,8}}?"
    return re.compile(rf"\b(?:{pattern.replace('... ', gap)})\b")


def _rules(kind: NoticeKind, patterns: tuple[str, ...], unless: str | None = None) -> tuple[Rule, ...]:
    excuse = re.compile(unless) if unless else None
    return tuple(Rule(kind, _compiled(pattern), excuse) for pattern in patterns)


_DEATH = "(?:die|dead|be dead|not exist|be gone|disappear|end (?:it all|things|everything|this life|my suffering)|(?:not|never) (?:to )?(?:wake up|be born)|end (?:it|my life|everything)|sleep forever|never wake up)"
_HARM = "(?:kill|hang|shoot|drown|poison|stab|starve|unalive|hurt|harm|cut|burn|end)"
_HARMING = "(?:killing|hanging|shooting|drowning|poisoning|stabbing|starving|hurting|harming|cutting|burning)"
_WISH = "(?:want|should|wanted|wanting|wish|wished|would like|need|ready|rather|deserve|hope|prefer|feel like|longing|going|plan\\w*)"

SELF_HARM = _rules(
    "self-harm",
    (
        # The writer
        rf"(?<!never )(?<!not )(?<!dont want to )(?<!not want to )(?:kill(?:ing)?|hang(?:ing)?|unalive|drown(?:ing)?|shoot(?:ing)?) myself",
        rf"(?:i ... |^)(?:{_WISH}|longing|urges?|desire) (?:to |of )?(?:just |really |go (?:to sleep )?and )?(?:{_DEATH}|overdose|self harm)(?! at home| in a hospice| of (?:laugh|embarrass|bored|shame))",
        rf"(?:{_WISH}|urges?|impulses?|tempted|thoughts?|thinking|think|trying|tried|about|how (?:do|can|to)(?: i)?|keep|again|stop|start\w*|been|cant stop|feel like) (?:to |of |about |on )?(?:{_HARM}|{_HARMING}) myself",
        rf"(?:{_HARM}|{_HARMING}) myself (?:\w+ )?(?:on purpose|deliberately|intentionally|again|to (?:feel|cope|die)|because)",
        rf"i (?:\w+ ){{0,2}}(?:wish|hope|want|pray)(?:ed)? ... (?:to die|to be dead|(?:not|never|dont) (?:wake up|exist|waking up))(?= \.|$| in the morning| in my sleep| tonight| tomorrow| soon)",
        rf"(?:might|may|could|will|would|scared i|afraid i|worried i|going to|about to|gonna) (?:\w+ )?(?:{_HARM}|end up \w+) myself(?! (?:by|if i|when|while|with (?:\w+ )?exercise))",
        r"i (?:\w+ ){0,2}(?:bought|got|have|tied|made) (?:a |the )?(?:rope|noose|gun|razor|blade) ... (?:ready|going|plan|use it|tonight|myself|beside|next to)|(?:is|does|are) (?:hanging|overdosing|jumping|slitting|cutting) (?:\w+ ){0,3}(?:painful|painless|hurt|quick)",
        r"i (?:\w+ )?(?:burn|cut|harm|scratch|hurt|starve) myself (?:with|when|because|to|every|sometimes|often|at night|whenever|until)(?!.*(?:cook|shav|accident|kitchen|mistake|exercis|run|lift))",
        r"i (?:\w+ )?(?:cut|burn|scratch)(?:ing)? my (?:arms?|legs?|wrists?|thighs?|skin) (?:to|when|because|again|on purpose|at night|every)(?!.*(?:cook|shav|accident|kitchen|mistake))|^(?:i )?(?:dont|no longer) want to (?:live|be alive|exist|wake up|be here anymore)",
        r"i ... thinking (?:about|of) (?:my )?(?:own )?(?:death|dying) (?:and how|a lot|all the time|every day|constantly)|(?:\d{2,}(?! mg| ml| mcg| percent)|all my|whole|entire|bottle|handful) ... kill me|(?:cant|dont think i can|dont know if i can|not sure i can) (?:\w+ )?(?:stay alive|keep living|go on living)",
        r"^(?:feeling|feel|am|very|so|really) (?:\w+ ){0,2}suicidal|i (?:self harm|cut)(?= \.|$| when| every| because| again)|(?:urges?|want|need|going|tempted|thinking|keep|kept) (?:\w+ )?self harm\w*",
        r"(?:done|finished|through|fed up|had enough) (?:with|of) (?:my |this )?(?:life|living|being alive|existence)|(?:give|giving|given) up on (?:my )?life|(?:better|happier|easier)(?: \w+){0,3} without me(?: in it| around| here| \.|$)",
        r"i (?:\w+ ){0,3}(?:self harm|harm(?:ed|ing)? my body|self harmed|self harming|am self harming)",
        r"(?:end|ending|take|taking) my (?:own )?(?:life|existence)",
        r"i ... (?:end|ending) it (?:all|tonight|now|today|soon)",
        r"i (?:\w+ )?(?:dont|not) (?:\w+ )?(?:want|wish|care|deserve) (?:to |if i )(?:live|be alive|be here anymore|exist|wake up|go on|keep living|be in this world|die or)",
        r"i wish i (?:was|were|am|had never been|was never|were never) (?:dead|born|alive no more)",
        r"i (?:would be|am|will be|d be|should be) better off (?:dead|not here)|better off without me|better off if i (?:was|were) (?:dead|gone)",
        r"(?:no ?one|nobody|no body|who) would (?:even )?(?:miss|care|notice)(?: me)? if i (?:was|were|am|died|killed|disappeared|wasnt|werent)",
        r"i (?:\w+ )?(?:have )?(?:no|nothing|not any) (?:reason to (?:live|go on)|to live for|more reason to live|will to live)|(?:see (?:no|any|the|a|much)|no|any|the|what) (?:point|reason) (?:in |of |to )?(?:keep (?:on )?)?(?:living|live|being alive|going on|going|life)(?= anymore| any longer| when| if| with| like| \.|$)|life (?:is not|isnt|is no longer|not|no longer) worth (?:living|it)",
        r"i cant (?:go on|keep going|do this|live)(?: living)? (?:like this|anymore|any longer)|(?:i cant|i cannot) go on(?= \.|$)|tired of (?:living|being alive|life)|sick of living|hate being alive",
        r"i ... suicidal(?! (?:patients|people|adolescents|behaviou?r in))|my suicid\w+|i ... (?:thoughts of|thinking (?:about|of)|contemplating|considering|planning|attempting|attempted|commit\w*|attempt) (?:\w+ )?suicide|suicide (?:is|seems) (?:my|the) only (?:option|way)",
        r"how (?:to|do i|can i|should i|would i) (?:\w+ )?(?:commit suicide|kill (?:yourself|oneself|urself|one self)|die (?:painlessly|quickly|peacefully|fast|without pain)|hang (?:yourself|oneself))",
        r"(?:painless|easiest|quickest|fastest|easy|quick|best|least painful|peaceful) (?:way|ways|method|methods) (?:to|for|of) (?:die|dying|commit suicide|suicide|(?:kill|hang|drown|shoot|poison) (?:yourself|oneself|urself|myself)|overdose|end (?:it|my life|your life))",
        r"(?:how (?:many|much)|enough|what (?:dose|amount|drugs?|pills?)|which (?:pills?|drugs?|dose)) ... (?:kill me|(?:for|so) (?:me|i) (?:\w+ )?(?:die|to die)|end my life|to die|(?:not|never) wake up|i ... die)|(?:die|kill me|fatal|lethal|deadly|overdose) (?:\w+ ){0,4}(?:all|whole|entire|bottle of) my (?:\w+ )?(?:<drug>)|(?:die|kill me) (?:from|by|of) (?:taking|an overdose|overdosing)(?: \w+){0,3} my",
        r"how many (?:\w+ ){0,3}(?:<drug>)(?: \w+){0,4} (?:fatal|lethal|deadly|to overdose|to die)",
        r"i (?:\w+ )?(?:overdosed?|(?:took|taken) (?:\w+ ){0,6}(?:overdose|pills|tablets)) (?:on purpose|deliberately|intentionally)|goodbye (?:world|everyone) i",
        rf"(?:{_WISH}|thinking|thoughts?|think|urge|about) (?:to |of |about )?(?:jump\w*|throw\w* myself) (?:off|from|in front of|out of|under|into) (?:a|the|my) \w+|slit(?:ting)? my (?:wrists?|throat)|(?:{_WISH}) (?:to )?(?:cut|slash) my (?:wrists?|throat|veins)",
        r"kill me if i (?:take|took|swallow|inject|drink) (?:a |the |all )?(?:whole|entire|all|lots|too many|handful|\d+)|i want (?:it|everything|it all) to (?:be over|end)|(?:<one>) (?:\w+ )?tried to overdose|better off dead|rather (?:be dead|die|not (?:live|be alive|exist))",
        r"i ... (?:think|thought|thinking|dream\w*|fantasi\w+|obsess\w*) (?:about|of) (?:\w+ )?(?:suicide|ending (?:it|everything|my)|being dead)|i ... (?:started|relapsed|back to|keep|been|stop) (?:\w+ )?cutting(?= again| myself| \.|$)",
        # Spanish, French, German, Portuguese, Italian
        r"(?<!no )(?<!no me )quiero (?:morir(?:me)?|matarme|suicidarme|quitarme la vida|desaparecer)|me quiero (?:morir|matar|suicidar)|ganas de (?:morir(?:me)?|matarme|suicidarme|vivir mas)|deseo (?:morir|suicidarme)|me voy a (?:matar|suicidar)|mejor (?:estar )?muert[oa]|no quiero (?:vivir|seguir viviendo|estar vivo|estar viva)|quitarme la vida|acabar con mi vida|pienso en (?:suicidarme|el suicidio)|voy a (?:matarme|suicidarme)|hacerme dano",
        r"je (?:veux|voudrais|vais|souhaite) (?:mourir|me tuer|me suicider|en finir)|(?:jai )?envie d(?:e |)(?:mourir|me tuer|me suicider|en finir)|je vais me (?:tuer|suicider)|je (?:ne )?veux plus vivre|jai des (?:idees|pensees) suicidaires|mettre fin a (?:mes jours|ma vie)|je pense au suicide|me faire du mal",
        r"ich (?:will|mochte|moechte|wollte|werde) (?:\w+ )?(?:sterben|mich (?:umbringen|toten|toeten)|tot sein)|(?:(?:nicht|keine lust) mehr (?:zu )?leben|keinen grund (?:mehr )?zu leben|lebensmude|ware ich (?:doch )?tot|mich umbringen|ich bringe mich um|mir das leben nehmen)|ich (?:habe|denke an) (?:\w+ )?(?:selbstmord|suizid)\w*|mich (?:selbst )?ritzen",
        r"(?<!nao )quero (?:morrer|me matar)|(?<!non )voglio (?:morire|uccidermi|suicidarmi)",
    ),
)

_OWN = "^(?=.*\\b(?:i|me|my|myself)\\b).*\\b"
_ABOUT_IT = (
    r"\b(?:rates?|prevalence|incidence|prevention|risk factors?|predict\w*|data|lists?|people|adolescents|veterans|women|men|"
    r"genes?|gene|mechanism|assisted|define|definition|meaning|died by|find|search|information|interested|bomb\w*|inhibition)\b"
)
"""Words of a question about suicide in general. They excuse only what is said without "I want", "I will" and the like."""

OWN_SELF_HARM = _rules(
    "self-harm",
    (
        r"(?:hope|wish|pray) i (?:would |could |just )?(?:die|never wake up|dont wake up|not wake up)|i (?:am|have been|keep|was) cutting again",
        _OWN + r"(?<!not )(?<!never )(?<!without )suicid\w+",
        _OWN + r"(?<!not )(?<!never )(?:kill(?:ing)?|hang(?:ing)?) (?:yourself|themselves|oneself)",
        _OWN + r"(?<!dont )(?<!not )(?<!never )(?<!didnt )(?:want|wants|wanting|wanted|wish|wishing|ready|deserve) to (?:die|be dead)(?= \.|$| anymore| tonight| now| today| soon| and| because| so| but| when| since)",
        _OWN + r"(?:ending it(?= \.|$| all| tonight)|let me die|goodbye (?:letter|note)|self harm\w*|(?:dont|not|never) (?:want to )?(?:be on this (?:planet|earth)|be in this world|be here anymore))",
        r"so (?:that )?(?:i|it|we) (?:\w+ )?(?:dont|never|will not|wont) wake up|(?:normal|wrong|ok|okay|a sin|selfish|bad|natural) to want to (?:die|be dead|kill)",
        r"i ... (?:all (?:of )?my|whole|entire|every|bottle|\d\d) ... (?:will|would|do|could) i die|(?:will|would|could) i die if i ... (?:all|whole|entire|every|bottle|\d\d)",
    ),
    unless=f"{SCHOLAR}|{VIGNETTE}|{_ABOUT_IT}",
)

OTHERS_SELF_HARM = _rules(
    "self-harm",
    (
        rf"<other> ... (?:wants?|wanted|threat\w+|tried|trying|going|plans?|planning|thinking|thinks|talks?|talking|says?|keeps?|about|might|may|will|urges?) (?:to |of |about |on )?(?:just |s?he |they )?(?:is going to |will |wants? to |going to |to )?(?:{_HARM}|{_HARMING}) (?:<themself>)",
        r"(?:my|our) (?:\w+ ){0,3}?(?:<kin>) ... (?:(?:<themself>) again|end(?:ing)? it (?:all|tonight|now|today)|(?:end|ending|take|taking|took) (?:his|her|their) (?:own )?life|(?:to|of|about) (?:kill\w*|harm\w*|hurt\w*|hang\w*) (?:<themself>)|self harm\w*|(?:cutting|harming|hurting|burning|starving|cuts|harms|hurts|burns) (?:<themself>)|suicide note)",
        r"(?:my|our) (?:\w+ ){0,3}?(?:<kin>) ... (?:(?:wants?|wanted|wanting|wishes) (?:to (?:die|be dead|end (?:it|his life|her life|their life))|(?:s?he|they) (?:was|were) dead)|suicidal|self harm(?:s|ing)|(?:tried|attempt\w*|commit\w*) (?:to commit )?suicide|doesnt want to (?:live|be alive))",
        r"(?:my|our) (?:\w+ ){0,3}?(?:<kin>) ... i (?:want|wish|am going|feel like|dont want) (?:to )?(?:die|live|kill|be dead)",
    ),
    unless=VIGNETTE,
)

_NOW = "(?:now|right now|please help|help me|help|what (?:should|do|can) i do|since (?:an hour|this morning|last night)|tonight|today)"

_SOMEBODY = "(?:i|my|me|our|<stranger>|<one>)"

EMERGENCY = _rules(
    "emergency",
    (
        # Breath and allergy
        r"<one> ... (?:cant|unable to|(?:can )?(?:hardly|barely)|struggling to|struggles to|fighting to) (?:\w+ )?breathe(?! through my nose)",
        rf"<one> ... (?:trouble|difficulty|problems?|short(?:ness)? (?:of )?) ?(?:breathing|breathe)(?: \w+)? (?:{_NOW}|suddenly|after|and)",
        r"(?:<one>|<stranger>) ... (?:not|isnt|stopped) breathing|^not breathing|(?:<one>|<stranger>) (?:\w+ )?(?:(?:is|am) choking|choking)|turning (?:blue|purple)|gone blue|went blue",
        r"my (?:\w+ )?(?:throat|tongue|lips|face|airway)(?: and \w+)? (?:is|are|feels?|feel|keeps?|started|looks?|turned) (?:\w+ )?(?:swelling|swollen|closing|puffing|tight|tingling|numb and|blue|purple)|my (?:<kin>)(?:s)? (?:throat|tongue|lips|face)(?: and \w+)? (?:is|are) (?:\w+ )?(?:swelling|swollen|closing)|(?:throat|tongue|lips) (?:is|are) swelling|(?:his|her) (?:lips|face|skin) (?:is|are|looks?|turned|turning) (?:\w+ )?(?:blue|purple|gr[ae]y)",
        r"<one> ... (?:have|has|having|in|into|had) (?:an |a )?(?:anaphyla\w+|(?:severe |bad |serious |life threatening )?allergic reaction)(?! (?:in|to) (?:general|patients))",
        r"used (?:my|his|her) epi ?pen|(?:no|without an|have no|dont have an) epi ?pen",
        rf"(?:(?:am|is|are|im|started|still) having|having|with|has|have|get) (?:\w+ ){{0,2}}(?:trouble|difficulty|problems?|hard time) (?:breathing|swallowing)(?= \.|$| and| right| now| after)",
        r"^(?:help )?(?:i )?(?:cant|not able to|unable to|hardly|barely) (?:\w+ )?(?:breathe|swallow|speak|see|move)(?: \w+){0,5}$|catch my breath|stuck in (?:my|his|her) throat|swallowed a (?:\w+ ){0,2}bone|no pulse",
        # Heart, brain
        r"<one> (?:\w+ ){0,3}(?:am|is|are|be) (?:\w+ )?having (?:a|an|another) (?:\w+ )?(?:heart attack|stroke|seizure|cardiac arrest|fit)|(?:<stranger>) (?:is|are) having (?:a|an) (?:\w+ )?(?:heart attack|stroke|seizure)|am i having a (?:heart attack|stroke)|(?:is|are) (?:my|our) (?:\w+ ){0,2}(?:<kin>) having a (?:heart attack|stroke|seizure)",
        r"i (?:(?!(?:<no>) )\w+ )?(?:have|am having|having|got|feel|am feeling|woke up with|get)(?: (?!read|heard|seen|questions?|about|studied)\w+){0,4} (?:chest (?:pains?|pressure|tightness)|(?:pain|pressure|tightness|tight feeling) (?:in|on) my chest|elephant on my chest)|my (?:\w+ ){0,3}?chest (?:\w+ )?(?:hurts?|is (?:hurting|tight|killing|being|in|pounding)|feels? (?:tight|heavy|crushed|like)|aches)|(?:my|our) (?:<kin>) (?:has|is having|got|complains of)(?: \w+){0,3} chest pains?|pain (?:in my (?:left )?arm and|in my chest)|chest pain (?:and|with|spreading to|going (?:down|into)) my",
        rf"^(?:(?:having|got|help|sudden|severe|crushing|terrible|bad) )*chest (?:pains?|pressure|tightness)(?: \w+){{0,6}} (?:{_NOW})",
        r"(?:face|mouth|smile) (?:\w+ )?(?:is |has |looks |went )(?:\w+ )?(?:drooping|drooped|droopy|lopsided|crooked)|<one> ... (?:slurring|speech (?:is|became|suddenly|has become|sounds) slurred|slurred speech|(?:talks|talking|speaking) (?:nonsense|gibberish)|suddenly (?:cant|lost|unable)(?: \w+)? (?:speak|talk|see|move|walk|speech|vision|sight|feel))",
        r"<one> ... (?:lost|losing) (?:\w+ )?(?:vision|sight|eyesight)|(?:suddenly|just) (?:cant|lost|went|gone)(?: \w+){0,3} (?:see|vision|sight|blind|speak|numb|paraly[sz]ed)|<one> ... (?:cant|suddenly cant|unable to) (?:move|feel|lift|raise|walk) (?:my|one|his|her|the) (?:\w+ )?(?:arm|leg|legs|side|face)|(?:my|one) (?:\w+ )?(?:arm|leg|side|face)(?: \w+){0,3} (?:suddenly|just) (?:\w+ )?(?:numb|weak|limp)|(?:left|right|one) side of my (?:face|body) (?:\w+ ){0,2}(?:numb|weak|limp|paraly\w+|droop\w*)",
        r"(?:the |sudden )?worst headache (?:of (?:my|his|her) life|ever|i have ever)|i ... thunderclap headache",
        r"(?:(?:<one>)|<stranger>) ... (?:unconscious|unresponsive|collapsed|passed out|wont wake|cant wake|not waking|wont respond|seizing|convulsing|fitting|having convulsions|foaming|(?:is|are|gone|went|and) (?:limp|floppy|lifeless)|just had a (?:seizure|fit|stroke)|(?:going|about) to (?:pass out|faint|collapse|black out))",
        r"<one> ... (?:wont|isnt|is not|not|doesnt) (?:wake|waking|respond(?! to)|responding(?! to)|moving)(?: up)?|(?:i )?cant wake (?:him|her|them|my)|seizure (?:\w+ ){0,3}(?:wont|not|doesnt) stop\w*|seizure (?:has |is |been )*(?:lasted|lasting|going on)",
        # Poison and overdose
        rf"<one> ... (?:overdose|overdosing)(?! (?:risk|prevention|death))|(?:i|<other>) (?:\w+ )?overdose (?:on|and|what)|^(?:help )?overdose(?: \w+){{0,6}} (?:{_NOW})",
        r"(?:<one>|<stranger>) ... (?:took|taken|swallowed|injected|gave|given|had|take|taking|ate|snorted|smoked|used|did) (?:\w+ ){0,5}(?:too (?:many|much)(?! (?:time|salt|sugar|coffee|tea|water|care|risk))|(?:a |the )?(?:whole|entire|full) (?:bottle|packet|pack|box|strip|blister)|(?:(?:double|triple|twice|\d+ times|(?:two|three|four|five|ten) times|extra) )+(?:the |my |his |her |a )?(?:\w+ ){0,2}dos(?:e|es|age)|wrong (?:dose|pills?|medication|medicine|insulin)|handful of (?:<drug>))(?! of (?:coffee|tea|time))",
        r"<one> ... (?:took|taken|swallowed|ate|had) (?:about |around |like )?(?:[1-9]\d+|ten|twelve|fifteen|twenty|thirty|forty|fifty) (?!mg|ml|mcg|g |units?|iu|years|minutes|hours|days|weeks|months|steps)(?:\w+ ){0,2}(?:<drug>)",
        r"<one> ... (?:swallow(?:ed|s)|drank|drunk|drinks|ate|eaten|eats|ingested|inhaled|licked|chewed|got into|sprayed) (?:\w+ ){0,5}(?:<poison>)(?! (?:daily|every|twice|once|as prescribed|each))(?<!vitamins)",
        r"i (?:\w+ )?(?:mixed|breathed in|inhaled) (?:\w+ ){0,2}(?:bleach|ammonia|chlorine|carbon monoxide|fumes|gas|smoke)|(?:<poison>) (?:\w+ ){0,2}in (?:my|his|her) eyes?",
        rf"^(?!is |are |does |do |can |which |how |why |where |who |what (?!do |should ))(?:\w+ ){{0,5}}(?:heart attack|stroke|seizure|anaphylaxis|anaphylactic shock|cardiac arrest|allergic reaction|overdose|choking|poisoning)(?: \w+){{0,4}} (?:happening|{_NOW})(?: please)?(?= \.|$)|^(?:having |got )?(?:heart attack|stroke) symptoms (?:right )?now",
        r"<one> ... (?:took|taken|ate|gave|given|swallowed) ... (?:<drug>) ... (?:twice(?! (?:a|daily|per|weekly|every) )|by accident|by mistake|instead of)|(?:accidentally|mistakenly|by mistake) (?:took|gave|swallowed|ate|drank|injected) ... (?:<drug>|<poison>|dose)|(?:battery|magnet|bead|bean|coin)s? (?:up|in|into|inside|stuck in) (?:his|her|my|the|their) (?:nose|ear|throat)",
        # Blood and wounds
        r"(?:<one> ... |^)(?:coughing|vomiting|throwing|spitting|puking|pooping|peeing)(?: up)? (?:\w+ ){0,4}blood|(?:bleeding|blood) (?:\w+ ){0,3}(?:wont|cant|not|doesnt|isnt|will never) (?:\w+ )?stop\w*|(?:wont|doesnt|cant|not) stop bleeding|(?:cant|unable to) stop (?:the|my|his|her) (?:\w+ )?(?:bleeding|blood)",
        r"<one> ... bleeding (?:\w+ ){0,2}(?:heavily|badly|a lot|profusely|everywhere|to death|out)|<one> ... pregnant ... (?:bleeding|(?:blurry|blurred) vision|contractions|cant feel (?:the|my) baby)|baby (?:has )?(?:stopped|isnt|is not) (?:moving|kicking)|(?:my|her) waters? (?:just )?(?:broke|have broken)(?! in)|babys? (?:head )?(?:is )?(?:coming(?! home)|crowning|out(?= \.|$))|appendix (?:has |just )?(?:burst|ruptured)|<one> ... (?:unbearable|excruciating|agoni[sz]ing)|having a (?:bad|severe|terrible) reaction to",
        r"<one> ... (?:bitten by a (?:\w+ )?(?:snake|viper|rattlesnake|cobra|bat)|electrocuted|(?:was|been|got) (?:shot|stabbed)|(?:almost|nearly) drowned|bone (?:is )?sticking out|severed|cut off (?:my|his|her) (?:finger|hand|toe))|snake (?:just )?bit (?:me|my)",
        r"blood (?:is )?(?:\w+ )?(?:spurting|gushing|pouring|everywhere)|(?:spurting|gushing|pouring|squirting) (?:\w+ )?blood|hit (?:his|her|my) head ... (?:vomit\w*|confused|sleepy|drowsy|passed out|unconscious|blood)",
        r"my (?:newborn|(?:\w+ )?(?:day|week)s? old)(?: \w+){0,2} (?:has|is running|with) (?:\w+ ){0,3}(?:fever|temperature)|<one> ... stiff neck ... (?:fever|rash|headache)|<one> ... (?:fever|rash|headache) ... stiff neck|rash (?:\w+ ){0,3}(?:doesnt|not|wont) (?:fade|disappear)",
        # Somebody, and a state in which nobody should wait
        rf"{_SOMEBODY} ... (?:hardly|barely|cant|unable to|struggling to|struggles to) (?:\w+ )?(?:breathe|speak|talk|swallow|see|move|feel|stand|stay awake)(?! (?:a difference|any|better|well|the point|through my nose|why|how|anything))",
        rf"{_SOMEBODY} ... (?:not (?:responding|waking|moving|breathing)|asthma attack|(?:wheezing|struggling|gasping|bleeding|choking|burned|burnt) (?:badly|heavily|for (?:air|breath))|(?:feel|feels|feeling|felt) (?:like )?(?:faint\w*|passing out|i am dying)|heavy bleeding|(?:blood sugar|glucose) (?:is|of|at) (?:\w+ )?(?:\d+|very low|dropping)|adult \w+ instead of|(?:been|was|were|got) poisoned|carbon monoxide (?:alarm|detector|poisoning)|wrong (?:one|insulin|pen|pill|bottle|vial)(?= \.|$| by| instead))|<stranger> ... (?:has|having|have) (?:\w+ ){{0,2}}chest pains?",
        rf"(?:hit|hurt|banged|bumped) (?:my|his|her|their|the) head (?:.{{0,60}} )?(?:vomit\w*|throwing up|threw up|confused|dizzy|sleepy|drowsy|blood thinners?)|blood thinners? (?:.{{0,40}} )?(?:hit|banged|bumped) (?:my|his|her) head",
        rf"(?:sudden(?:ly)?|all of a sudden|out of nowhere)(?: \w+){{0,4}} (?:cant|numb|weak|blind|paraly\w+|confused|double vision|collapsed)(?: \w+){{0,3}}(?<=\w) (?:my|he|she|i|now|me)|(?:cant|dont) (?:feel|move) my \w+ (?:suddenly|all of a sudden|anymore)",
        r"^(?:ate|swallowed|drank|took|inhaled) (?:\w+ ){0,5}(?:<poison>)|(?:heavy|heavily|massive|severe|profuse|uncontrolled) bleed(?:ing)?(?: \w+){0,5} (?:what (?:do|should) i|help|right now)|<one> ... (?:drank|swallowed|ate) (?:\w+ ){0,4}(?:oil|polish|fluid|spray|eye drops|tide|something (?:poisonous|toxic))",
    ),
    unless=f"{OLD}|{SCHOLAR}|{VIGNETTE}",
)

_WHO = "(?:i|(?:my|our) (?:\\w+ ){0,3}?(?:<kin>))"
_MAY = "(?:should|can|could|may|must|shall|ought|do|would|will|cant|shouldnt)"
_STUDY = (
    "trust|believe|cite|know|find|learn|understand|read|search|compare|expect|measure|interpret|explain|say|tell|carry|"
    "inherit|look|see|call|ask|think|conclude|assume|include|exclude|need|fast|search|filter|have (?:a|an) (?:risk|gene)|get (?:\\w+ ){0,3}(?:power|papers?|lists?|information|overview|data|studies|summary|copy|access)"
)
_MEDICAL = "(?:<drug>|<care>)"

TREATMENT = _rules(
    "treatment",
    (
        rf"{_MAY} {_WHO} (?:\w+ ){{0,2}}?(?:stop|quit|start|restart|continue|take|taking|skip|double|halve|taper|come off|go off|get off|go on|wean off|inject|swallow|increase|decrease|switch)(?! (?:a look|part|care|place|into account|the mean|notes|searching|with pubmed))",
        rf"{_MAY} {_WHO} (?!(?:{_STUDY}) )(?:\w+ ){{1,8}}?{_MEDICAL}",
        rf"{_MAY} my (?:\w+ ){{0,3}}?(?:<kin>) (?:try|use|get|have|take|undergo|do|go|start|stop)",
        rf"(?:if|whether|think|sure|that) (?:i|my (?:\w+ ){{0,2}}?(?:<kin>)) should (?:<decide>|get|have|undergo|be)|if i (?:stop|stopped|quit|skip|skipped|miss|missed|double|doubled|come off|came off) (?:taking|using|my|a|the|one|{_MEDICAL})|if i (?:take|took|mix|combine) ... (?:with|while|and|after|before) (?:\w+ )?(?:my|{_MEDICAL}|alcohol)",
        rf"(?:which|what|how (?:much|many|often|long)) (?:\w+ ){{0,4}}?{_MEDICAL} (?:\w+ ){{0,2}}?{_MAY} {_WHO}|if you were (?:me|in my)|{_MAY} {_WHO} (?:\w+ )?(?:go|get|be) (?:back )?(?:on|off) (?:it|them|this|that|my)",
        rf"(?:am|are|is) {_WHO} (?:allowed|permitted|supposed|meant|able|ok|okay|safe|fine) to (?:<decide>|have|get|drink|eat)|(?:am|is) (?:i|my (?:\w+ ){{0,2}}?(?:<kin>)) (?:\w+ )?(?:eligible|a candidate|too (?:old|young|late)) for|(?:stay|remain|be kept) on (?:\w+ ){{0,3}}(?:<drug>)",
        rf"(?:is|are|would|will|does) (?:\w+ ){{0,3}}?{_MEDICAL}(?: \w+){{0,5}} (?:for|help|cure|fix|treat) (?:me|my)|(?:safe|right|best|correct|proper|maximum|recommended) (?:dose|dosage|amount)(?: \w+){{0,4}} for (?:me|my)",
        rf"{_MAY} {_WHO} (?!(?:{_STUDY}) )(?:\w+ ){{0,2}}?(?:<decide>|have|get|undergo|accept|consider|choose|ask for|agree to|receive|go for|opt for|be) ... {_MEDICAL}",
        rf"{_MAY} {_WHO} (?:\w+ ){{0,2}}?(?:<decide>|eat|drink|exercise|fly|drive|breastfeed|smoke|run|have) ... (?:with|while|after|during|on|for|if i|because) (?:\w+ ){{0,2}}?(?:my|i|me|pregnant|breastfeeding|nursing|fasting|<drug>|<care>)",
        rf"(?:how|what|which) ... {_MAY} {_WHO} (?:\w+ )?(?:treat|cure|manage|take|use|do (?:for|about)|give|get rid of) ... (?:my|our)",
        rf"(?:do|does|will|would) {_WHO} (?:really |still |actually )?(?:need|require) (?:to (?:be on|take|keep|continue|stop|start|have)|{_MEDICAL}|(?:\w+ ){{1,3}}?{_MEDICAL})",
        rf"(?:is|was|would|will) it (?:be )?(?:\w+ )?(?:safe|ok|okay|fine|alright|all right|dangerous|bad|harmful|wise|a good idea|too late|advisable|worth|risky|better|normal) (?:for (?:me|us|my|our)|if i|if my|that i) ... (?:<decide>|taking|stopping|{_MEDICAL}|have|get|drink|miss\w*)",
        rf"(?:is|was|would|will) it (?:be )?(?:\w+ )?(?:safe|ok|okay|fine|alright|dangerous|bad|wise|a good idea|too late|advisable|risky|time|necessary|possible) to ... (?:my|me|i am|i have)",
        rf"i (?:\w+ )?(?:want|would like|wish|am thinking|am planning|am considering|have decided|decided|plan|am going|am tempted|am about|need|stopped|refuse) (?:to |of |about )?(?:stop|stopping|quit|quitting|come off|coming off|go off|get off|getting off|skip|skipping|switch|switching|taking|taper|tapering|wean|cut down|take|taking|start|starting|change|changing) ... (?:my|{_MEDICAL})",
        rf"(?:safe|ok|okay|dangerous|right|good|best|better|recommended|suitable|bad|interact\w*|interaction|compatible|work|necessary|appropriate|alternatives?) (?:\w+ ){{0,2}}?(?:for|with|to) (?:me|(?:my|our) (?:\w+ ){{0,3}}?(?:<kin>|<drug>|<care>|condition|cancer|pregnancy|diabetes|blood pressure|heart|kidneys?|liver|asthma|epilepsy|pain|disease|migraines?|headaches?|depression|anxiety|infection|cold|flu|rash|eczema|back|knee|hip|allergy|arthritis|covid|adhd|insomnia|reflux|ulcer|thyroid|cholesterol|hypertension|gout|uti|acne|psoriasis|lupus|ms|copd|tumou?r))",
        rf"i (?:am|have|had|take|took|was|suffer)(?: \w+){{0,12}} (?:\. )?(?:is|are|does|would|which|what)(?: \w+){{0,6}} (?:safe|recommended|dangerous|best (?:drug|treatment|option|medicine|medication)|{_MEDICAL} (?:for me|should)|help me)",
        r"my (?:doctor|gp|physician|oncologist|surgeon|cardiologist|psychiatrist|dentist|pharmacist|consultant|specialist|neurologist|obstetrician|gyn\w*|urologist|rheumatologist|dermatologist|midwife|nurse|pa?ediatrician|vet)s? (?:\w+ )?(?:prescribed|wants?|told|tells|recommend(?:s|ed)|suggest(?:s|ed)|says?|said|put|gave|advised|offered|is recommending|is suggesting)",
        rf"i (?:\w+ )?(?:missed|forgot|skipped|vomited after) (?:to take |taking )?(?:a|my|one|two|the|last nights?) (?:\w+ )?(?:dose|pill|tablet|{_MEDICAL})",
        rf"{_MAY} {_WHO} (?:\w+ )?(?:go to|see|call|visit|be seen|worry|wait) (?:\w+ )?(?:the |a |my )?(?:er|hospital|doctor|emergency|gp|a and e|clinic|dentist|dermatologist|specialist|ambulance)",
        rf"(?:would|do|should|can) you (?:\w+ )?(?:recommend|suggest|advise|prescribe|take|give) ... (?:me|my|our|i)|{_MAY} (?:i|we) (?:\w+ )?(?:vaccinate|treat|medicate|immuni[sz]e|operate on|circumcise) (?:\w+ )?(?:my|our)|{_MAY} we (?:\w+ )?<decide> (?:our|my) (?:\w+ ){{0,3}}?(?:<kin>)",
        rf"(?:how much|how many|what|which) (?:\w+ ){{0,4}}?(?:dose|dosage|mg|{_MEDICAL}) (?:\w+ ){{0,3}}?(?:for|to) (?:me|(?:give )?my (?:\w+ ){{0,3}}?(?:<kin>))",
    ),
    unless=f"{SCHOLAR}|{VIGNETTE}",
)

RULES = (*SELF_HARM, *OWN_SELF_HARM, *OTHERS_SELF_HARM, *EMERGENCY, *TREATMENT)
