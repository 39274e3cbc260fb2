"""Which sources a route table has, by the options."""

from __future__ import annotations

from collections.abc import Sequence

from screenmark.rendering.assets import AssetStore, asset_folder
from screenmark.rendering.known_data import DataSource
from screenmark.rendering.map_source import MapSource
from screenmark.rendering.options import RenderOptions
from screenmark.rendering.package_source import EmptySource, PackageSource
from screenmark.rendering.public_network import NetworkSource
from screenmark.rendering.routes import Source


def make_sources(options: RenderOptions) -> Sequence[Source]:
    """The sources that are asked, in order, for what a page does not bring itself.

    Libraries come from this machine even where the network is allowed, so that a page's scripts
    are the same on every day; base maps stand in where the network has none.
    """
    if options.network == "block":
        return ()
    store = AssetStore(asset_folder(options.assets))
    packages, data = PackageSource(store), DataSource(store)
    maps, empty = MapSource(store), EmptySource()
    if options.network == "allow":
        return (packages, NetworkSource(), data, maps, empty)
    return (packages, data, maps, empty)
