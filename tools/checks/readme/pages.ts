/**
 * Rules for documents: links, programs that are shown, packages to install, tables of files, and functions
 * with an example.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { ROOT, SCOPE } from '../../ci/lib/workspace.ts'
import { typescriptBlocks } from './blocks.ts'
import type { Document } from './documents.ts'

const SHOWN = /(<!-- example: (\S+) -->\n\n`{3}(?:ts|go|python)\n)([\s\S]*?)(`{3}\n)/g

/**
 * Returns the text of a page, in which each block after `<!-- example: PATH -->` is replaced by the current
 * program.
 */
export function withExamples(text: string): string {
  return text.replace(
    SHOWN,
    (_, before: string, path: string, __, after: string) =>
      before + readFileSync(join(ROOT, path), 'utf8') + after,
  )
}

/** Finds the pages that show a program differently from its file. */
export function exampleProblems(pages: readonly Document[]): string[] {
  return pages
    .filter(({ text }) => withExamples(text) !== text)
    .map(({ file }) => `${file}: an example differs from its file; to copy it: pnpm check readme --update`)
}

const PAGE = /^packages\/[^/]+\/README\.md$/
const IMPORT = /(?:\bfrom|^import) '((?:@[^/']+\/)?[^/'.:]+)(?:\/[^']*)?'/gm

/**
 * Finds packages that the code of a package's page imports, and that no `npm install` line of that page has.
 */
export function installProblems(pages: readonly Document[]): string[] {
  return pages
    .filter(({ file }) => PAGE.test(file))
    .flatMap(({ file, text }) => {
      const installed = (text.match(/^npm install .*$/gm) ?? []).flatMap((line) => line.split(/\s+/))
      const code = typescriptBlocks(text).map((block) => block.code)
      const imported = new Set([...code.join('\n').matchAll(IMPORT)].map(([, name = '']) => name))
      return [...imported]
        .filter((name) => !installed.includes(name))
        .map((name) => `${file}: ${name} is imported, but no "npm install" line has it`)
    })
}

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g
const FENCED = /^( *)(`{3,}).*\n[\s\S]*?^ *\2`* *$/gm

/** Finds relative links to files and headings that do not exist. */
export function linkProblems(pages: readonly Document[]): string[] {
  return pages.flatMap(({ file, text }) =>
    [...text.replace(FENCED, '').matchAll(LINK)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return []
      const [path = '', heading] = link.split('#')
      const target = path === '' ? file : normalize(join(dirname(file), path))
      if (path !== '' && !existsSync(join(ROOT, target))) return [`${file}: ${link}: no such file`]
      if (heading === undefined || !target.endsWith('.md')) return []
      const linked = path === '' ? text : readFileSync(join(ROOT, target), 'utf8')
      return headings(linked).includes(heading) ? [] : [`${file}: ${link}: no such heading`]
    }),
  )
}

/** Anchors of the headings, in the form that Markdown hosts use. */
function headings(text: string): string[] {
  return [...text.replace(FENCED, '').matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}

/**
 * Matches a paragraph that names a folder of a package, and the table after it, whose files are below that
 * folder.
 */
const FILE_TABLE = /^.*\bin `(packages[^`]*)`[^|]*?\n\n\| File \| Functions \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm

/** Finds rows of file tables that name a missing file, or a function that the file does not have. */
export function fileTableProblems(pages: readonly Document[]): string[] {
  return pages.flatMap(({ file, text }) =>
    [...text.matchAll(FILE_TABLE)].flatMap(([, folder = '', rows = '']) =>
      rows
        .trim()
        .split('\n')
        .flatMap((row) => rowProblems(folder, row).map((problem) => `${file}: ${problem}`)),
    ),
  )
}

function rowProblems(folder: string, row: string): string[] {
  const [files = '', functions = ''] = row.split(' | ')
  const paths = codesOf(files).map((path) => join(folder, path))
  const missing = paths.filter((path) => !existsSync(join(ROOT, path)))
  if (missing.length > 0) return missing.map((path) => `${path}: no such file`)
  const sources = paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n')
  return codesOf(functions)
    .filter((name) => !new RegExp(`(?<![\\w#])${name}\\b`).test(sources))
    .map((name) => `${paths.join(', ')}: no function ${name}`)
}

const codesOf = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/**
 * Finds exported functions that a README names and that have no `@example`.
 *
 * @param reports - API reports by file name, which list the exports.
 */
export function missingExamples(
  pages: readonly Document[],
  sources: readonly Document[],
  reports: ReadonlyMap<string, string>,
): string[] {
  const readmes = pages.filter(({ file }) => file.endsWith('README.md')).map(({ text }) => text)
  const text = readmes.join('\n')
  const isNamed = (name: string): boolean =>
    new RegExp(`\`${name}(?:[(<]|\`)|^import [^;]*?\\b${name}\\b[^;]*? from`, 'm').test(text)
  const missing = [...reports].flatMap(([report, exported]) => {
    const folder = `packages/${report.split('.')[0]}/src/`
    const own = sources.filter(({ file }) => file.startsWith(folder))
    const functions = exported.matchAll(/^export (?:function (\w+)|const (\w+): [<(])/gm)
    return [...functions].flatMap(([, first, second = '']) => {
      const name = first ?? second
      if (!isNamed(name)) return []
      const declared = new RegExp(
        `(/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?export (?:async )?(?:function|const) ${name}\\b`,
        'g',
      )
      const found = own.flatMap(({ file, text: source }) =>
        [...source.matchAll(declared)].map(([, docstring = '']) => ({ file, docstring })),
      )
      // If another package declares the function, `found` is empty. The report of that package has the
      // function too.
      if (found.length === 0 || found.some(({ docstring }) => docstring.includes('@example'))) return []
      return [
        `${found[0]?.file}: ${SCOPE}${report.split('.')[0]}: a README names ${name}, which has no @example`,
      ]
    })
  })
  return [...new Set(missing)]
}
