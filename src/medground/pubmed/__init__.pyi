from medground.pubmed.parser import repair_syntax as repair_syntax
from medground.pubmed.syntax import Chain as Chain
from medground.pubmed.syntax import Leaf as Leaf
from medground.pubmed.syntax import Negated as Negated
from medground.pubmed.syntax import Node as Node
from medground.pubmed.syntax import Span as Span
