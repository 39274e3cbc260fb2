"""Web applications on loopback, with tasks that their own files decide."""

from screenmark.environments.web_apps.world import WebAppEnvironment, WebApps

__all__ = ["WebAppEnvironment", "WebApps"]
