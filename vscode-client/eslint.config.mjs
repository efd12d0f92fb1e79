import tseslint from "typescript-eslint";

export default tseslint.config(
    { ignores: ["dist/", "dist-tests/", "node_modules/", "*.mjs"] },
    ...tseslint.configs.strictTypeChecked,
    ...tseslint.configs.stylisticTypeChecked,
    {
        languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
        rules: {
            eqeqeq: "error",
            "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
            "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
            "@typescript-eslint/switch-exhaustiveness-check": "error",
        },
    },
);
