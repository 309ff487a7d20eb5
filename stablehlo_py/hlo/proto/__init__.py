"""HLO modules that are stored as protobuf: `HloModuleProto`, alone or in an `HloProto` or `HloSnapshot`.

The messages are those of the schema `hlo.proto`. A module is written as text without the elements of large
constants (`writer`), the parser of the text reads it, and the elements are put into the constants
(`reader`), so that all checks and positions are those of the text.
"""
