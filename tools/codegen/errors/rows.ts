/** The error codes of all packages, from the comments in their `...ErrorDetails` interfaces. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { ErrorRow } from '../../../packages/cli/src/help/error-row.ts'
import { publicPackages, ROOT } from '../../ci/lib/workspace.ts'

const TAGS = ['retryable', 'remedy', 'message'] as const

/** @throws An error that lists the codes without a description or a tag. */
export function errorRows(): ErrorRow[] {
  const missing: string[] = []
  const rows = publicPackages().flatMap(({ directory, manifest }) =>
    readdirSync(join(ROOT, directory, 'src'))
      .filter((file) => file.endsWith('-error.ts'))
      .flatMap((file) => {
        const source = readFileSync(join(ROOT, directory, 'src', file), 'utf8')
        return detailsOf(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true))
      })
      .map((member) => rowOf(manifest.name, member, missing)),
  )
  if (missing.length > 0) throw new Error(`comments of error codes must have ${missing.join(', ')}`)
  return rows
}

/** Returns the members of the interface with the details of each code. */
function detailsOf(file: ts.SourceFile): ts.TypeElement[] {
  return file.statements
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => name.text.endsWith('ErrorDetails'))
    .flatMap(({ members }) => [...members])
}

/** The text of a comment on one line, without the backslashes that TSDoc needs. */
const oneLine = (text = ''): string => text.replace(/\s+/g, ' ').replace(/\\([@{}])/g, '$1')

function rowOf(name: string, member: ts.TypeElement, missing: string[]): ErrorRow {
  const code = member.name?.getText() ?? ''
  const meaning = ts
    .getJSDocCommentsAndTags(member)
    .filter(ts.isJSDoc)
    .map(({ comment }) => oneLine(ts.getTextOfJSDocComment(comment)))
    .join(' ')
  const tags = new Map(
    ts
      .getJSDocTags(member)
      .map(({ tagName, comment }) => [tagName.text, oneLine(ts.getTextOfJSDocComment(comment))]),
  )
  const [retryable = '', remedy = '', message = ''] = TAGS.map((tag) => tags.get(tag))
  if (meaning === '') missing.push(`a description of ${code}`)
  for (const tag of TAGS) if (!tags.get(tag)) missing.push(`@${tag} of ${code}`)
  return { code, package: name, meaning, retryable, remedy, message }
}
