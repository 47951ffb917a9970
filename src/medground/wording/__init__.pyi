from medground.wording.markup import escaped as escaped
from medground.wording.markup import template as template
