-- Neovim 0.11 or later: copy to ~/.config/nvim/lsp/shlo.lua and add to init.lua
--   vim.filetype.add({ extension = { mlir = "mlir", hlo = "hlo" } })
--   vim.lsp.enable("shlo")
return {
  cmd = { "shlo", "lsp" },
  filetypes = { "mlir", "hlo" },
  root_markers = { "pyproject.toml", ".git" },
}
