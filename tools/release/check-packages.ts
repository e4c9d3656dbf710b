/**
 * `pnpm check:packages [TARBALL...]`: checks tarballs with publint, with are-the-types-wrong, and against the
 * list of allowed files. It checks all tarballs that a release would publish, or those that you name.
 */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { checkPackage, createPackageFromTarballData, type Package } from '@arethetypeswrong/core'
import { problemKindInfo } from '@arethetypeswrong/core/problems'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { report } from '../ci/lib/report.ts'
import { SCOPE } from '../ci/lib/workspace.ts'
import { tarballs } from './packed/tarballs.ts'

/**
 * Resolutions that the profile `esm-only` of are-the-types-wrong ignores, because the packages do not support
 * them.
 */
const IGNORED_RESOLUTIONS = new Set(['node10', 'node16-cjs'])

const ALLOWED = [
  /^(?:package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/.+(?:\.js|\.d\.ts)(?:\.map)?$/,
  /^src\/.+\.ts$/,
]
/** Tests and their helpers, also in compiled form. */
const TEST = /(?:^|\/)test\/|\.test(?:-d)?\./
/** Imports of packages that only tests use. */
const TEST_IMPORT = /from ["'](?:vitest|fast-check|@brokerwire\/testing)[/"']/
const FOR_TESTS_OF_USERS = /^(?:src|dist)\/vitest\//
/** Additional files of single packages. Each pattern must match a file. */
const FURTHER: Readonly<Record<string, readonly RegExp[]>> = {
  cli: [
    /^bin\/brokerwire\.js$/,
    /^COMMANDS\.md$/,
    /^man\/brokerwire(?:-[a-z-]+)?\.1$/,
    /^schemas\/[a-z]+\.schema\.json$/,
  ],
  operations: [/^OPERATIONS\.md$/, /^openapi\.json$/],
  otel: [/^METRICS\.md$/],
  payloads: [/^PAYLOADS\.md$/],
  protos: [/^asyncapi\.json$/, /^proto\/buf\.yaml$/, /^proto\/.+\.proto$/],
  signer: [/^vectors\.json$/, /^VECTORS\.md$/, /^THREATS\.md$/],
  simulator: [
    /^TRADING\.md$/,
    /^scenario\.schema\.json$/,
    /^dist\/console-page\/(?:index\.html|console\.css)$/,
  ],
  streams: [/^TRANSPORT-RULES\.md$/],
}
const REQUIRED = ['package.json', 'README.md', 'LICENSE']

/** Problems and suggestions of publint. */
async function publintProblems(tarball: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: tarball.buffer } })
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`)
}

/** Finds entry points whose types resolve differently from their code. */
async function typeProblems(pkg: Package): Promise<string[]> {
  const result = await checkPackage(pkg)
  if (result.types === false) return ['types: the package has no types']
  return result.problems.flatMap((problem) => {
    const { entrypoint = '', resolutionKind = '' } = 'resolutionKind' in problem ? problem : {}
    if (IGNORED_RESOLUTIONS.has(resolutionKind)) return []
    const { title, shortDescription } = problemKindInfo[problem.kind]
    return [`types: ${entrypoint} ${resolutionKind}: ${title}. ${shortDescription}`]
  })
}

/**
 * Finds files that are not allowed or missing, source maps without a source, and declarations without a
 * source map.
 */
function fileProblems(pkg: Package): string[] {
  const root = `/node_modules/${pkg.packageName}/`
  const files = pkg.listFiles(root).map((file) => file.slice(root.length))
  const isPacked = (file: string): boolean => files.includes(file)
  const further = FURTHER[pkg.packageName.replace(SCOPE, '')] ?? []
  const problems = files
    .filter((file) => ![...ALLOWED, ...further].some((pattern) => pattern.test(file)))
    .map((file) => `files: ${file} is not on the list of allowed files`)
  for (const file of files) {
    const isCode = /\.(?:ts|js)$/.test(file) && !FOR_TESTS_OF_USERS.test(file)
    if (TEST.test(file) || (isCode && TEST_IMPORT.test(pkg.readFile(root + file))))
      problems.push(`files: ${file} is a test or a helper of tests`)
  }
  for (const file of REQUIRED) if (!isPacked(file)) problems.push(`files: ${file} is missing`)
  for (const pattern of further)
    if (!files.some((file) => pattern.test(file))) problems.push(`files: no file matches ${pattern}`)
  for (const file of files.filter((name) => name.startsWith('dist/'))) {
    if (file.endsWith('.d.ts') && !isPacked(`${file}.map`)) problems.push(`files: ${file} has no map`)
    if (!file.endsWith('.map')) continue
    const { sources } = JSON.parse(pkg.readFile(root + file)) as { readonly sources: readonly string[] }
    // The bundler's helpers have no files. Their names begin with a null character.
    for (const source of sources.filter((name) => !name.startsWith('\0')))
      if (!isPacked(posix.join(posix.dirname(file), source)))
        problems.push(`files: ${file} names the source ${source}, which is not in the tarball`)
  }
  const manifest = pkg.readFile(`${root}package.json`)
  if (/"(?:workspace|catalog|file|link):/.test(manifest))
    problems.push('manifest: a version range that only the workspace can resolve')
  if (JSON.parse(manifest).private === true) problems.push('manifest: the package is private')
  return problems
}

const named = process.argv.slice(2)
const paths = named.length > 0 ? named : (await tarballs()).map(({ path }) => path)
const problems: string[] = []
for (const path of paths) {
  const tarball = new Uint8Array(readFileSync(path))
  const pkg = createPackageFromTarballData(tarball)
  const found = [...(await publintProblems(tarball)), ...(await typeProblems(pkg)), ...fileProblems(pkg)]
  problems.push(...found.map((problem) => `${pkg.packageName}: ${problem}`))
}
report('packages', problems, `${paths.length} tarballs`)
