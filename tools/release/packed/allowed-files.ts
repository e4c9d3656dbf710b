/** The files that a tarball may have. Tests, and pages that tests write, stay in the repository. */

const ALLOWED = [
  /^(?:package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/.+(?:\.js|\.d\.ts)(?:\.map)?$/,
  /^src\/.+\.ts$/,
]
/** Tests and their helpers, also in compiled form. */
const TEST = /(?:^|\/)test\/|\.test(?:-d)?\./
/** Additional files of single packages. Each pattern must match a file. */
const FURTHER: Readonly<Record<string, readonly RegExp[]>> = {
  cli: [
    /^bin\/brokerwire\.js$/,
    /^COMMANDS\.md$/,
    /^man\/brokerwire(?:-[a-z-]+)?\.1$/,
    /^schemas\/[a-z]+\.schema\.json$/,
  ],
  operations: [/^OPERATIONS\.md$/, /^openapi\.json$/],
  payloads: [/^PAYLOADS\.md$/],
  protos: [
    /^asyncapi\.json$/,
    /^proto\/buf\.yaml$/,
    /^proto\/.+\.proto$/,
    /^protobufjs\/gen\/.+(?:\.js|\.d\.ts)$/,
  ],
  signer: [/^vectors\.json$/, /^VECTORS\.md$/, /^THREATS\.md$/],
  simulator: [/^scenario\.schema\.json$/, /^dist\/console-page\/(?:index\.html|console\.css)$/],
}
const REQUIRED = ['package.json', 'README.md', 'LICENSE']

/**
 * Finds files that are not allowed, and those that are missing.
 *
 * @param short - Name of the package without its scope.
 * @param files - Paths from the root of the package.
 */
export function fileListProblems(short: string, files: readonly string[]): string[] {
  const further = FURTHER[short] ?? []
  const isAllowed = (file: string): boolean => [...ALLOWED, ...further].some((pattern) => pattern.test(file))
  return [
    ...files
      .filter((file) => !isAllowed(file))
      .map((file) => `files: ${file} is not on the list of allowed files`),
    ...files.filter((file) => TEST.test(file)).map((file) => `files: ${file} is a test`),
    ...REQUIRED.filter((file) => !files.includes(file)).map((file) => `files: ${file} is missing`),
    ...further
      .filter((pattern) => !files.some((file) => pattern.test(file)))
      .map((pattern) => `files: no file matches ${pattern}`),
  ]
}

/** Imports of packages that only tests use. */
const TEST_IMPORT = /from ["'](?:vitest|fast-check|@brokerwire\/testing)[/"']/
const FOR_TESTS_OF_USERS = /^(?:src|dist)\/vitest\//

/** Whether a file of a tarball uses packages that only tests use. */
export function isTestImport(file: string, code: string): boolean {
  return TEST_IMPORT.test(code) && !FOR_TESTS_OF_USERS.test(file)
}
