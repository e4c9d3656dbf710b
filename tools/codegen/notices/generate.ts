/** docs/reference/notices.md: the notices of streams, market data and relays, from the comments of their types. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { Generated } from '../files.ts'
import { REMEDIES } from './remedies.ts'

const PAGE = 'docs/reference/notices.md'

/** The types of notices, in the order of the page. */
const SECTIONS = [
  {
    title: 'Event streams',
    text: 'Streams of `@brokerwire/streams` and `@brokerwire/client` return these notices between the events.',
    file: 'packages/streams/src/items/notices.ts',
    types: ['StreamNotice'],
  },
  {
    title: 'Market data',
    text: 'The iterator of `@brokerwire/quotes` returns these notices.',
    file: 'packages/quotes/src/notices.ts',
    types: ['QuotesNotice'],
  },
  {
    title: "A relay's stream",
    text: 'A relay stores the notices `subscribed`, `resumed`, `gap`, `missed-events`, `duplicate-conflict` and `id-too-long` of its subscriptions, and adds the first two below. The last one is created by `consumeRelay` for its reader.',
    file: 'packages/relay/src/wire/notices.ts',
    types: ['WriterChangedNotice', 'WriterGap', 'ReaderGap'],
  },
] as const

/** Members that all notices have. */
const COMMON: readonly string[] = ['type', 'kind', 'atMs']

interface Notice {
  readonly kind: string
  readonly meaning: string
  readonly remedy: string
  readonly fields: readonly { readonly name: string; readonly meaning: string }[]
}

/** The text in one line, in which an item of a list begins after a line break. */
const oneLine = (text: string): string =>
  text
    .trim()
    .replace(/\s*\n\s*- /g, '<br>- ')
    .replace(/\s+/g, ' ')
const commentOf = (node: ts.Node): string =>
  oneLine(
    ts
      .getJSDocCommentsAndTags(node)
      .filter(ts.isJSDoc)
      .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
      .join(' '),
  )

/** Returns the comment before the `|` of a member of a union. */
function commentBefore(node: ts.Node, source: ts.SourceFile): string {
  const [, comment = ''] =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*\|\s*\(?\s*$/.exec(source.text.slice(0, node.getStart())) ?? []
  return oneLine(comment.replace(/^\s*\*/gm, ''))
}

/** Finds the notices in a type: each object with a member `kind`. */
function noticesIn(node: ts.Node, source: ts.SourceFile, type: string): Notice[] {
  if (!ts.isTypeLiteralNode(node) && !ts.isInterfaceDeclaration(node))
    return childrenOf(node).flatMap((child) => noticesIn(child, source, type))
  const members = node.members.filter(ts.isPropertySignature)
  const kind = members.find((member) => member.name.getText() === 'kind')
  if (kind === undefined) return []
  const name = (kind.type?.getText() ?? '').replaceAll("'", '')
  const own = ts.isInterfaceDeclaration(node) ? commentOf(node) : commentBefore(node, source)
  return [
    {
      kind: name,
      meaning: own === '' ? commentOf(kind) : own,
      remedy: REMEDIES[type]?.[name] ?? '',
      fields: members
        .filter((member) => !COMMON.includes(member.name.getText()))
        .map((member) => ({ name: member.name.getText(), meaning: commentOf(member) })),
    },
  ]
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => {
    children.push(child)
  })
  return children
}

/** Reads the notices of a file. @throws An error that lists the notices and fields without a comment. */
function readNotices(file: string, types: readonly string[]): Notice[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const notices = types.flatMap((name) => {
    const found = source.statements.find(
      (statement) =>
        (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) &&
        statement.name.text === name,
    )
    if (found === undefined) throw new Error(`${file} has no type ${name}`)
    return noticesIn(found, source, name)
  })
  const missing = notices.flatMap(({ kind, meaning, remedy, fields }) => [
    ...(meaning === '' || remedy === '' ? [kind] : []),
    ...fields.filter((field) => field.meaning === '').map(({ name }) => `${kind}.${name}`),
  ])
  if (missing.length > 0)
    throw new Error(`${file}: notices must have a comment, and a text in remedies.ts: ${missing.join(', ')}`)
  return notices
}

const escaped = (text: string): string =>
  text.replaceAll('|', '\\|').replace(/\{@link ([^\s}|]+)[^}]*\}/g, '`$1`')

const sectionOf = ({ kind, meaning, remedy, fields }: Notice): string =>
  [
    `### ${kind}`,
    escaped(meaning),
    `**What to do:** ${remedy}`,
    ...(fields.length === 0
      ? []
      : [
          [
            '| Field | Meaning |',
            '|---|---|',
            ...fields.map((field) => `| \`${field.name}\` | ${escaped(field.meaning)} |`),
          ].join('\n'),
        ]),
  ].join('\n\n')

export function generate(): Generated {
  const sections = SECTIONS.map(({ title, text, file, types }) =>
    [`## ${title}`, text, ...readNotices(file, types).map(sectionOf)].join('\n\n'),
  )
  const page = `<!-- Written by pnpm generate notices. Do not edit. -->

# Notices

A notice is an item of type \`notice\` that reports a change, such as a reconnect or a gap. Each has \`kind\` and \`atMs\`, its time in milliseconds
since the Unix epoch. Gaps of event streams also have \`fromMs\` and \`toMs\` by the service's clock, \`hostFromMs\` and \`hostToMs\` by this host's clock, and
\`clockOffsetMs\`. [Delivery guarantees](../concepts/delivery-guarantees.md) explains what to do about a gap.

${sections.join('\n\n')}
`
  return { files: new Map([[PAGE, page]]) }
}
