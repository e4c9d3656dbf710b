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
import { fileListProblems, isTestImport } from './packed/allowed-files.ts'
import { tarballs } from './packed/tarballs.ts'

/**
 * Resolutions that the profile `esm-only` of are-the-types-wrong ignores, because the packages do not support
 * them.
 */
const IGNORED_RESOLUTIONS = new Set(['node10', 'node16-cjs'])

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

/** Finds files that are not allowed or missing, sources that are missing, and declarations without a map. */
function fileProblems(pkg: Package): string[] {
  const root = `/node_modules/${pkg.packageName}/`
  const files = pkg.listFiles(root).map((file) => file.slice(root.length))
  const isPacked = (file: string): boolean => files.includes(file)
  const problems = fileListProblems(pkg.packageName.replace(SCOPE, ''), files)
  for (const file of files)
    if (/\.(?:ts|js)$/.test(file) && isTestImport(file, pkg.readFile(root + file)))
      problems.push(`files: ${file} is a helper of tests`)
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
