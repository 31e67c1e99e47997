"""Builders of the wrappers that mail hides its content in: winmail.dat and opaque signatures, byte by byte."""

import struct
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import NameOID


def tnef_object(level: int, number: int, content: bytes) -> bytes:
    """One object: level, number, a type, length, content, checksum."""
    return struct.pack("<BHHI", level, number, 6, len(content)) + content + struct.pack("<H", sum(content) & 0xFFFF)


def mapi_string(number: int, value: str) -> bytes:
    """One Unicode string property."""
    data = value.encode("utf-16-le") + b"\x00\x00"
    return struct.pack("<HHII", 0x1F, number, 1, len(data)) + data + b"\x00" * (-len(data) % 4)


def mapi_binary(number: int, data: bytes) -> bytes:
    """One binary property."""
    return struct.pack("<HHII", 0x102, number, 1, len(data)) + data + b"\x00" * (-len(data) % 4)


def mapi_block(*properties: bytes) -> bytes:
    """A block of properties with its count."""
    return struct.pack("<I", len(properties)) + b"".join(properties)


def tnef(*objects: bytes) -> bytes:
    """A winmail.dat of those objects, in code page 1252."""
    start = struct.pack("<IH", 0x223E9F78, 1)
    version = tnef_object(1, 0x9006, struct.pack("<I", 0x10000))
    return start + version + tnef_object(1, 0x9007, struct.pack("<II", 1252, 0)) + b"".join(objects)


def tnef_message(*properties: bytes) -> bytes:
    """The object with the message's own properties."""
    return tnef_object(1, 0x9003, mapi_block(*properties))


def tnef_file(title: str, data: bytes, *properties: bytes) -> bytes:
    """The objects of one attached file."""
    parts = [tnef_object(2, 0x9002, b"\x00" * 14), tnef_object(2, 0x8010, title.encode("cp1252") + b"\x00")]
    parts.append(tnef_object(2, 0x800F, data))
    if properties:
        parts.append(tnef_object(2, 0x9005, mapi_block(*properties)))
    return b"".join(parts)


def uncompressed_rtf(text: bytes) -> bytes:
    """RTF in the wrapper of compressed RTF, stored as it is."""
    return struct.pack("<IIII", len(text) + 12, len(text), 0x414C454D, 0) + text


def der(tag: int, *content: bytes) -> bytes:
    """One DER element."""
    data = b"".join(content)
    if len(data) < 128:
        return bytes((tag, len(data))) + data
    size = (len(data).bit_length() + 7) // 8
    return bytes((tag, 0x80 | size)) + len(data).to_bytes(size, "big") + data


def endless(tag: int, *content: bytes) -> bytes:
    """One BER element of indefinite length, as streaming mailers write it."""
    return bytes((tag, 0x80)) + b"".join(content) + b"\x00\x00"


OID_SIGNED = bytes.fromhex("06092a864886f70d010702")
OID_ENVELOPED = bytes.fromhex("06092a864886f70d010703")
OID_DATA = bytes.fromhex("06092a864886f70d010701")


def streamed_signature(*chunks: bytes) -> bytes:
    """An opaque signature in BER with the content in chunks, and nothing else in it."""
    content = endless(0x24, *(der(0x04, chunk) for chunk in chunks))
    inner = endless(0x30, OID_DATA, endless(0xA0, content))
    return endless(0x30, OID_SIGNED, endless(0xA0, endless(0x30, der(0x02, b"\x01"), der(0x31), inner)))


def enveloped() -> bytes:
    """The beginning of an encrypted CMS object."""
    return der(0x30, OID_ENVELOPED, der(0xA0, der(0x30, der(0x02, b"\x00"), der(0x04, b"\x99" * 40))))


@lru_cache(maxsize=1)
def _signer() -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "signer.example.org")])
    now = datetime(2026, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=3650))
    return builder.sign(key, hashes.SHA256()), key


def opaque_signature(entity: bytes) -> bytes:
    """A real opaque signature over a MIME entity, in DER."""
    certificate, key = _signer()
    builder = pkcs7.PKCS7SignatureBuilder().set_data(entity).add_signer(certificate, key, hashes.SHA256())
    return builder.sign(serialization.Encoding.DER, [pkcs7.PKCS7Options.Binary])
