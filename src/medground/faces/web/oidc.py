"""Sign-in by an identity provider: the authorization code flow of OpenID Connect with PKCE (S256), state and nonce.

The description and keys of the provider are read by the careful client: limited in size and time, no redirects. Its
tokens are verified by PyJWT with public keys alone. Nothing of a token is kept.
"""

import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx2
import jwt
from pydantic import BaseModel, ValidationError

from medground.faces.service.values import ROLES, Role, hashed
from medground.faces.web.state import AT_PROVIDER, OF_PROVIDER, SignInFailed
from medground.home.settings_groups import OidcSettings
from medground.sources.http.clients import Bounded, CutReply, Network, ReplyLimits

KEPT = 3600.0
"""Seconds for which the description and the keys of the provider are kept; an unknown key is looked for again."""
_AGAIN = 60.0
_LEEWAY = 30.0
_LIMITS = ReplyLimits(1 << 20, 20.0)
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Those with a public key: never `none`, never one with a shared secret."""


class Described(BaseModel):
    """What a provider says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


@dataclass(repr=False)
class Provider:
    """The identity provider of the settings. Its methods are for one event loop.

    A sign-in that is under way is known by its cookie alone, so any server of a group can finish it; the provider takes
    its code once.

    `wire`: carries requests; the network by default.
    """

    settings: OidcSettings
    secret: str = ""
    wire: httpx2.AsyncBaseTransport | None = None
    clock: Callable[[], float] = time.time
    _described: tuple[float, Described] | None = field(default=None, init=False)
    _keys: tuple[float, jwt.PyJWKSet] | None = field(default=None, init=False)

    @property
    def home(self) -> str:
        """The public address of the page."""
        return f"{self.settings.address.rstrip('/')}/"

    @property
    def returns_to(self) -> str:
        """Where the provider sends people back to; it is registered there."""
        return f"{self.home}session/return"

    async def begin(self) -> tuple[str, str]:
        """A new sign-in: the provider's address to go to, and the secret that only the browser's cookie holds.

        Raises SignInFailed: the provider cannot be asked.
        """
        place = (await self._description()).authorization_endpoint
        cookie = f"{int(self.clock()):010}.{secrets.token_urlsafe(48)}"  # another time would have another state
        state, nonce, verifier = _derived(cookie)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        sent = {
            "response_type": "code",
            "client_id": self.settings.client,
            "redirect_uri": self.returns_to,
            "scope": " ".join(self.settings.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{place}{'&' if '?' in place else '?'}{urlencode(sent)}", cookie

    async def finish(self, cookie: str, sent: Mapping[str, str]) -> tuple[str, str, Role]:
        """Id, name and role of who comes back from the provider with these parameters.

        Raises SignInFailed: it was not begun in this browser, the provider refused or cannot be asked, its token is not
        valid, or no group of the person has a role.
        """
        (state, nonce, verifier), at = _derived(cookie), cookie[:10]
        if not at.isdecimal() or self.clock() - int(at) > AT_PROVIDER:
            raise SignInFailed("again", "no sign-in was begun in this browser in the last minutes")
        if not secrets.compare_digest(state.encode(), sent.get("state", "").encode()):
            raise SignInFailed("again", "the state is not that of the sign-in that was begun")
        if sent.get("iss", self.settings.issuer) != self.settings.issuer:
            raise SignInFailed("provider", "another provider answered")
        if "code" not in sent:
            raise SignInFailed("provider", f"the provider refused: {sent.get('error', 'it sent no code')[:100]}")
        described = await self._description()
        tokens = await self._exchanged(described, sent["code"], verifier)
        claims = await self._verified(described, str(tokens.get("id_token", "")), nonce)
        if _claim(claims, self.settings.groups) is None and described.userinfo_endpoint and "access_token" in tokens:
            bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
            more = await self._json("GET", described.userinfo_endpoint, headers=bearer)
            if more.get("sub") != claims["sub"]:
                raise SignInFailed("provider", "the identity provider returned a different person")
            claims = more | claims
        return self._named(claims)

    async def leave(self) -> str | None:
        """Where a person who signs out goes to sign out at the provider too; None if it has no such address now."""
        place = None
        with suppress(SignInFailed):
            place = (await self._description()).end_session_endpoint
        sent = {"client_id": self.settings.client, "post_logout_redirect_uri": self.home}
        return f"{place}{'&' if '?' in place else '?'}{urlencode(sent)}" if place else None

    def _named(self, claims: Mapping[str, Any]) -> tuple[str, str, Role]:
        own = _claim(claims, self.settings.groups)
        groups = {own} if isinstance(own, str) else {str(one) for one in own} if isinstance(own, list) else set()
        given = {"reader": self.settings.readers, "editor": self.settings.editors, "admin": self.settings.admins}
        roles = [role for role in ROLES if {*groups, "*"} & set(given[role])]
        who = _claim(claims, self.settings.person)
        if not isinstance(who, str) or not who:
            raise SignInFailed("provider", f"the token has no claim {self.settings.person!r} that names a person")
        name = str(_claim(claims, self.settings.name) or who)[:64]
        person = f"{OF_PROVIDER}{hashed(f'{self.settings.issuer} {who}')[:24]}"
        if not roles:
            raise SignInFailed("unknown", f"no group of {name} has a role", person)
        return person, name, roles[-1]

    async def _exchanged(self, described: Described, code: str, verifier: str) -> dict[str, Any]:
        client, secret = self.settings.client, self.secret
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.returns_to}
        form |= {"code_verifier": verifier}
        if secret and "client_secret_basic" in described.token_endpoint_auth_methods_supported:
            known = httpx2.BasicAuth(quote(client, safe=""), quote(secret, safe=""))
            return await self._json("POST", described.token_endpoint, data=form, auth=known)
        form |= {"client_id": client, **({"client_secret": secret} if secret else {})}
        return await self._json("POST", described.token_endpoint, data=form)

    async def _verified(self, described: Described, token: str, nonce: str) -> dict[str, Any]:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                await self._key(described, jwt.get_unverified_header(token).get("kid")),
                algorithms=_ALGORITHMS,
                audience=self.settings.client,
                issuer=self.settings.issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "iat", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise SignInFailed("provider", f"the provider's token is not valid: {error}") from None
        if not secrets.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise SignInFailed("provider", "the provider's token is of another sign-in (nonce)")
        if claims.get("azp", self.settings.client) != self.settings.client:
            raise SignInFailed("provider", "the provider's token was made for another client (azp)")
        return claims

    async def _key(self, described: Described, name: str | None) -> jwt.PyJWK:
        for least in (KEPT, _AGAIN):  # the provider may have changed its keys since
            if self._keys is None or self.clock() - self._keys[0] >= least:
                self._keys = self.clock(), jwt.PyJWKSet.from_dict(await self._json("GET", described.jwks_uri))
            keys = [key for key in self._keys[1].keys if name in (None, key.key_id)]
            if len(keys) == 1:
                return keys[0]
        raise jwt.InvalidKeyError("it is signed with a key that the provider does not have")

    async def _description(self) -> Described:
        """What the provider says of itself. Raises SignInFailed: it cannot be asked, or is another one."""
        if self._described is None or self.clock() - self._described[0] >= KEPT:
            place = f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration"
            try:
                described = Described.model_validate(await self._json("GET", place))
            except ValidationError:
                raise SignInFailed("provider", "the provider does not describe itself as OpenID Connect asks") from None
            if described.issuer != self.settings.issuer:
                raise SignInFailed(
                    "provider", f"the provider calls itself {described.issuer[:200]!r}: set serve.oidc.issuer"
                )
            self._described = self.clock(), described
        return self._described[1]

    async def _json(self, method: str, address: str, **sent: Any) -> dict[str, Any]:
        """An object of the provider, at an address that is encrypted, or where the issuer itself is."""
        own = urlsplit(self.settings.issuer)
        if not address.startswith(("https://", f"{own.scheme}://{own.netloc}/")):
            raise SignInFailed("provider", "the provider names an address that is not encrypted")
        carried = Bounded(_LIMITS, self.wire or Network(trust_env=own.scheme == "https"))
        headers = {"Accept": "application/json", **sent.pop("headers", {})}
        try:
            async with carried.client as client:
                reply = await client.request(method, address, headers=headers, **sent)
                told = reply.json()
        except (httpx2.HTTPError, httpx2.InvalidURL, CutReply, ValueError) as error:
            raise SignInFailed("provider", f"the provider cannot be asked ({type(error).__name__})") from None
        if reply.status_code != 200 or not isinstance(told, dict):
            raise SignInFailed("provider", f"the provider answered {reply.status_code} at {urlsplit(address).path}")
        return told


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """A claim by its name, or by a path such as `realm_access.roles`."""
    if name in claims or "." not in name:
        return claims.get(name)
    first, _, rest = name.partition(".")
    inner = claims.get(first)
    return _claim(inner, rest) if isinstance(inner, dict) else None


def _derived(cookie: str) -> tuple[str, str, str]:
    """State, nonce and verifier of a sign-in; the cookie cannot be computed from those that others see."""
    return hashed(f"state {cookie}"), hashed(f"nonce {cookie}"), hashed(f"verifier {cookie}")
