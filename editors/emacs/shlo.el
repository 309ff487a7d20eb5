;;; shlo.el --- StableHLO programs in Emacs -*- lexical-binding: t -*-

;; Emacs 29 or later: (load "/path/to/shlo.el") in init.el. Eglot starts `shlo lsp' for .mlir files.

;;; Code:

(require 'eglot)

(defvar shlo-font-lock-keywords
  '(("//.*$" . font-lock-comment-face)
    ("%[A-Za-z0-9_$.-]+\\(?:#[0-9]+\\)?" . font-lock-variable-name-face)
    ("@[A-Za-z_][A-Za-z0-9_$.]*" . font-lock-function-name-face)
    ("[#!][A-Za-z0-9_$.-]+" . font-lock-preprocessor-face)
    ("\\_<\\(?:tensor\\|complex\\|tuple\\|memref\\|vector\\)\\_>" . font-lock-type-face)
    ("\\_<[A-Za-z_][A-Za-z0-9_]*\\(?:\\.[A-Za-z0-9_]+\\)+" . font-lock-keyword-face))
  "Highlighting without a language server.")

;;;###autoload
(define-derived-mode shlo-mode prog-mode "StableHLO"
  "Major mode for StableHLO programs."
  (setq-local comment-start "// ")
  (setq-local font-lock-defaults '(shlo-font-lock-keywords))
  (modify-syntax-entry ?/ ". 12")
  (modify-syntax-entry ?\n ">"))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.mlir\\'" . shlo-mode))
(add-to-list 'eglot-server-programs '(shlo-mode . ("shlo" "lsp")))
(add-hook 'shlo-mode-hook #'eglot-ensure)

(provide 'shlo)
;;; shlo.el ends here
