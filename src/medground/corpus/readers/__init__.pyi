from medground.corpus.readers.base import Reader as Reader
from medground.corpus.readers.every import READERS as READERS
from medground.corpus.readers.every import all_readers as all_readers
from medground.corpus.readers.every import find_inputs as find_inputs
from medground.corpus.readers.every import open_file as open_file
from medground.corpus.readers.every import passed_over as passed_over
from medground.corpus.readers.every import survey as survey
