from medground.wording.markup import escaped as escaped
from medground.wording.templates import number as number
from medground.wording.templates import percent as percent
from medground.wording.templates import printed as printed
from medground.wording.templates import template as template
