"""The language server of `shlo lsp`: one document model, and a module per feature of the protocol."""
