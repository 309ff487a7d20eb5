-- For the picture of Neovim: starts the language server, and opens the first diagnostic.
local config = dofile("shlo.lua")
vim.api.nvim_create_autocmd("BufRead", {
  pattern = "*.mlir",
  callback = function()
    local settings = { name = "shlo", cmd = config.cmd, root_dir = vim.fn.getcwd() }
    if vim.lsp.start then -- since 0.8
      vim.lsp.start(settings)
    else
      vim.lsp.buf_attach_client(0, vim.lsp.start_client(settings))
    end
  end,
})
vim.api.nvim_create_autocmd("DiagnosticChanged", {
  once = true,
  callback = function()
    for _, found in ipairs(vim.diagnostic.get(0)) do
      vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
    end
    vim.diagnostic.open_float({ close_events = { "BufHidden" } })
  end,
})
