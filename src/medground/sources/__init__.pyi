from medground.sources.base import CountingSource as CountingSource
from medground.sources.base import DescribedSource as DescribedSource
from medground.sources.base import FactSource as FactSource
from medground.sources.base import Source as Source
from medground.sources.base import TermsSource as TermsSource
from medground.sources.live import within as within
