from medground.wording.markup import escaped as escaped
from medground.wording.markup import template as template
from medground.wording.templates import number as number
from medground.wording.templates import percent as percent
from medground.wording.templates import printed as printed
