"""Public data sets from where their authors put them, fetched with care.

Nothing is unpacked before it is checked, nothing leaves its folder, and what was interrupted
goes on.
"""

from screenmark.downloads.catalog import Dataset, catalog, dataset
from screenmark.downloads.digests import given_digests
from screenmark.downloads.job import Downloaded, Wanted, download
from screenmark.downloads.places import data_root, default_folder
from screenmark.downloads.record import is_here, is_unpacked, load_record
from screenmark.downloads.watch import Watch

__all__ = [
    "Dataset",
    "Downloaded",
    "Wanted",
    "Watch",
    "catalog",
    "data_root",
    "dataset",
    "default_folder",
    "download",
    "given_digests",
    "is_here",
    "is_unpacked",
    "load_record",
]
