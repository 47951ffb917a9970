"""What a release was built from, as an in-toto statement (SLSA provenance 1.0) in a DSSE envelope signed by a key.

    python scripts/provenance.py sign KEY dist/*      writes dist/provenance.dsse.json
    python scripts/provenance.py verify PUBLIC dist/*  exit 0: signed by this key, and each file is what was signed

KEY is an Ed25519 key in PEM without a password (`openssl genpkey -algorithm ed25519`), PUBLIC its public half.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

ROOT = Path(__file__).resolve().parents[1]
KIND = "application/vnd.in-toto+json"
LOCKS = (".ci/build.lock", ".ci/release.lock", "requirements.lock")


def digest(path: Path) -> dict[str, str]:
    """The SHA-256 of a file."""
    return {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def statement(files: list[Path]) -> bytes:
    """Which files were built, of which commit, with which locked tools."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True)
    source = {"uri": "git+.", "digest": {"gitCommit": commit.stdout.strip()}}
    locks = [{"uri": name, "digest": digest(ROOT / name)} for name in LOCKS]
    definition = {"buildType": "scripts/release.py", "externalParameters": {}, "resolvedDependencies": [source, *locks]}
    said = {"buildDefinition": definition, "runDetails": {"builder": {"id": f"python {sys.version.split()[0]}"}}}
    subject = [{"name": path.name, "digest": digest(path)} for path in files]
    whole = {"_type": "https://in-toto.io/Statement/v1", "subject": subject}
    whole |= {"predicateType": "https://slsa.dev/provenance/v1", "predicate": said}
    return json.dumps(whole, sort_keys=True).encode()


def verify(public: Path, files: list[Path], signed: Path) -> str:
    """What is wrong; empty if nothing is."""
    key = SSlibKey.from_crypto(load_pem_public_key(public.read_bytes()))
    if not signed.exists():
        return f"there is no {signed}; sign first"
    envelope = Envelope.from_dict(json.loads(signed.read_bytes()))
    try:
        envelope.verify([key], 1)
    except VerificationError:
        return f"{signed} is not signed by {public}"
    told = {one["name"]: one["digest"] for one in json.loads(envelope.payload)["subject"]}
    return "; ".join(f"{path} is not what was signed" for path in files if told.get(path.name) != digest(path))


def main() -> str:
    """Sign or verify. Returns what is wrong."""
    what, key, *names = sys.argv[1:]
    files = sorted(
        path for path in map(Path, names) if path.suffix in (".whl", ".gz") or path.name.endswith(".cdx.json")
    )
    signed = files[0].parent / "provenance.dsse.json"
    if what == "verify":
        return verify(Path(key), files, signed)
    envelope = Envelope(statement(files), KIND, {})
    envelope.sign(CryptoSigner(load_pem_private_key(Path(key).read_bytes(), None)))
    signed.write_text(json.dumps(envelope.to_dict(), indent=1), encoding="utf-8")
    return ""


if __name__ == "__main__":
    sys.exit(main() or 0)
