"""Protobuf: the wire format, and messages by a schema in its language."""
