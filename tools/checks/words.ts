/**
 * `pnpm check words`: comments, messages, test titles and documents contain none of the forms below, which
 * readers of this repository had to read twice. STYLE.md has the rules. This list has the forms that a
 * pattern finds without many false reports.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { trackedFiles } from '../ci/lib/tracked.ts'
import { ROOT } from '../ci/lib/workspace.ts'
import type { CheckResult } from './result.ts'

type Kind = 'comment' | 'message' | 'title' | 'document'

interface Passage {
  readonly kind: Kind
  readonly line: number
  readonly text: string
}

interface Form {
  readonly pattern: RegExp
  readonly instead: string
  /**
   * The kinds of passage in which the form is not allowed.
   * @defaultValue every kind
   */
  readonly kinds?: readonly Kind[]
}

const FORMS: readonly Form[] = [
  { pattern: /\bwhoever\b/gi, instead: 'name the actor, or "you"' },
  { pattern: /(?<!")\b(?:nobody|somebody|anybody)\b/gi, instead: 'name the actor, or "no one", "someone"' },
  { pattern: /\b(?:told|tells|says|said)\b/gi, instead: 'reports, returns, states' },
  { pattern: /\b(?:hears|heard|unheard)\b/gi, instead: 'receives, notices' },
  { pattern: /\b(?:stands|stood)\b/gi, instead: 'is, was' },
  { pattern: /(?<!by )\bhand(?:s|ed|ing)? (?:on|over|out|back)\b|\bin hand\b/gi, instead: 'pass, return' },
  { pattern: /\bbesides?\b/gi, instead: 'next to, with, also' },
  {
    pattern: /\bof (?:its|their|your|our) own\b(?! (?!and|for|in|of|on|or|that|to|under|which|with)\w)/gi,
    instead: 'its own, your own',
  },
  { pattern: /\bof (?:yours|theirs|ours)\b/gi, instead: 'your, their, our' },
  { pattern: /\bfor good\b/gi, instead: 'permanently' },
  {
    pattern: /\b(?:loop|stream|iterator|connection|session|simulator) (?:is|was) left\b/gi,
    instead: 'is closed',
  },
  { pattern: /\bin silence\b/gi, instead: 'without a report, silently' },
  { pattern: /(?<!there )\b(?:is|are) none\b(?! of)/gi, instead: 'is not one' },
  { pattern: /\bcomes? again\b|\bknown again\b/gi, instead: 'is repeated, is a duplicate' },
  { pattern: /\breckon\w*/gi, instead: 'assume, calculate' },
  { pattern: /\b(?:house|desk|seam|umbrella)s?\b/gi, instead: 'package, interface, facade' },
  { pattern: /\brooms?\b/gi, instead: 'space, capacity' },
  { pattern: /\b(?:held|hold|holds|holding) (?:off|back)\b/gi, instead: 'pause, paused' },
  { pattern: /\bin (?:its|their) places?\b/gi, instead: 'instead, in order' },
  { pattern: /\bwhere (?:there|nothing|no|none|neither|both)\b/gi, instead: 'if, when' },
  { pattern: /\b(?:only|also|even|except) where\b/gi, instead: 'if, when' },
  {
    pattern: /^(?:what|where|who)\b(?! to\b)(?![^.]*\?)/gi,
    instead: 'begin with a noun, a verb, "if" or "when"',
    kinds: ['comment', 'title'],
  },
  {
    pattern: /(?:[.;:] |- )(?:What|Where|Who)\b(?![^.]*\?)/g,
    instead: 'begin the sentence with a noun, "if" or "when"',
    kinds: ['comment', 'document'],
  },
  {
    pattern: /^(?:What|Where|Who)\b(?![^.]*\?)/g,
    instead: 'begin the sentence with a noun, "if" or "when"',
    kinds: ['document'],
  },
]

/** Allowed occurrences: a file, and a phrase that contains the form. */
const EXCEPTIONS: readonly (readonly [file: string, phrase: string])[] = [
  // STYLE.md lists words that we do not use.
  ['STYLE.md', '| hold back, hold off |'],
  ['STYLE.md', '| adapter, seam |'],
  ['STYLE.md', '| umbrella |'],
]

/** @returns `file:line: kind: "found"; write: ...` for each form in a file. */
export function wordProblems(file: string, text: string): string[] {
  const passages = file.endsWith('.md') ? markdownPassages(text) : sourcePassages(file, text)
  return passages.flatMap(({ kind, line, text: passage }) =>
    FORMS.filter(({ kinds }) => kinds?.includes(kind) ?? true).flatMap(({ pattern, instead }) =>
      [...passage.matchAll(pattern)]
        .filter(({ index }) => !isException(file, passage, index))
        .map(({ 0: found, index }) => {
          const at = line + passage.slice(0, index).split('\n').length - 1
          return `${file}:${at}: ${kind}: "${found.trim()}"; write: ${instead}`
        }),
    ),
  )
}

const isException = (file: string, passage: string, index: number): boolean =>
  EXCEPTIONS.some(([path, phrase]) => {
    const start = passage.lastIndexOf(phrase, index)
    return path === file && start !== -1 && index < start + phrase.length
  })

const FENCED = /^( *)(`{3,}).*\n[\s\S]*?^ *\2`* *$/gm

/** Returns each line of a page. Blocks of code, headings and HTML comments are empty lines. */
function markdownPassages(page: string): Passage[] {
  const blank = (code: string): string => code.replace(/[^\n]/g, '')
  const text = page.replace(FENCED, blank).replace(/<!--[\s\S]*?-->|^#.*$/gm, blank)
  return text
    .split('\n')
    .map((line, index) => ({ kind: 'document', line: index + 1, text: line.replace(/`[^`]*`/g, '`code`') }))
}

/** The comments of a source file, and its string literals with more than one word. */
function sourcePassages(file: string, text: string): Passage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const literals: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node))
      literals.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1
  const strings = literals
    .filter((node) => !ts.isRegularExpressionLiteral(node) && /\w \w/.test(node.getText()))
    .map((node): Passage => {
      const kind = isTitle(node) ? 'title' : 'message'
      return { kind, line: lineAt(node.getStart()), text: node.getText().replace(/^[`'"}]/, '') }
    })
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+|\/\/.*/gm)]
    .filter(({ index }) => !literals.some((node) => node.getStart() <= index && index < node.end))
    .map(({ 0: comment, index }): Passage => {
      const lines = comment.replace(/^[ \t]*(?:\/\/|\/\*\*?|\*(?!\/))[ \t]?/gm, '')
      const start = /^\n/.exec(lines) === null ? 0 : 1
      return { kind: 'comment', line: lineAt(index) + start, text: lines.slice(start) }
    })
  return [...strings, ...comments]
}

/** Whether a string is the title of a test or of a group of tests. */
function isTitle(node: ts.Node): boolean {
  const call = ts.isTemplateLiteralToken(node) ? node.parent.parent : node.parent
  return (
    call !== undefined &&
    ts.isCallExpression(call) &&
    call.arguments[0] === node &&
    /^(?:test|it|describe)\b/.test(call.expression.getText())
  )
}

const READ = /\.(?:ts|tsx|js|mjs|md)$/
/** Generated files, and the files that contain the forms themselves. */
const NOT_READ =
  /\/(?:gen|generated)\/|\/CHANGELOG\.md$|^packages\/cli\/COMMANDS\.md$|^tools\/checks\/words\./

/** Numbers of old occurrences that are still allowed, by package or folder. `--update` writes this file. */
const REMAINING = join(ROOT, 'tools/checks/words-remaining.json')

function partOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  const folder = first === 'packages' ? `${first}/${second}` : file.includes('/') ? first : '.'
  return file.endsWith('.md') ? `${folder}/*.md` : folder
}

export async function check(update: boolean): Promise<CheckResult> {
  const files = (await trackedFiles()).filter((file) => READ.test(file) && !NOT_READ.test(file))
  const byPart = new Map<string, string[]>()
  for (const file of files.filter((path) => existsSync(join(ROOT, path)))) {
    const problems = wordProblems(file, readFileSync(join(ROOT, file), 'utf8'))
    if (problems.length > 0) byPart.set(partOf(file), [...(byPart.get(partOf(file)) ?? []), ...problems])
  }
  const counts = Object.fromEntries([...byPart].map(([part, { length }]) => [part, length]).sort())
  if (update) writeFileSync(REMAINING, `${JSON.stringify(counts, undefined, 2)}\n`)
  const allowed = JSON.parse(readFileSync(REMAINING, 'utf8')) as Readonly<Record<string, number>>
  return {
    problems: [...byPart].flatMap(([part, problems]) =>
      problems.length > (allowed[part] ?? 0) ? problems : [],
    ),
    checked: `${files.length} files`,
  }
}
