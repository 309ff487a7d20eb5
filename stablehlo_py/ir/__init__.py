"""The intermediate representation: types, attributes, values, operations, regions, modules."""
