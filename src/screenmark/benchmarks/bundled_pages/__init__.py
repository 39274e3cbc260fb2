"""The screenshots that come with the package, with a list of the elements on each.

``images/`` holds one PNG a page; ``test.json``, ``dev.json`` and ``zh.json`` list what is on
them. Families that ask other things about the same pages name the images from their own data.
Where each page comes from and under which licence stands in ``NOTICE.md``.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
