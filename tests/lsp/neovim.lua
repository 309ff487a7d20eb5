-- Attaches the language server to the buffer, waits for its diagnostics, and prints them and a hover as JSON.
local command = vim.fn.json_decode(vim.env.SHLO_COMMAND)
local client = vim.lsp.start_client({ name = "shlo", cmd = command, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
local found = {}
for _, each in ipairs(vim.diagnostic.get(0)) do
  table.insert(found, { line = each.lnum + 1, severity = each.severity, message = each.message })
end
local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 1, character = 8 } }
local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", params, 60000)
local hover = ""
for _, answer in pairs(answers or {}) do hover = answer.result.contents.value end
io.stdout:write(vim.fn.json_encode({ diagnostics = found, hover = hover }))
vim.cmd("qall!")
