/**
 * Tells users' bundlers that what a module makes when it is loaded can be left out where nothing reads it.
 *
 * `sideEffects: false` says so of whole files. In a file that was made of many it has to be said of each expression.
 */
import type { ESTree } from 'rolldown/utils'

/** A text to insert, and where. */
export type Insertion = readonly [at: number, text: string]

const PURE = '/* @__PURE__ */ '

/** What looks harmless and may yet run code, as a bundler sees it: a getter, an iterator, `toString`, `valueOf`. */
const OPAQUE = new Set(['MemberExpression', 'SpreadElement', 'BinaryExpression', 'UnaryExpression'])
const CALLS = new Set(['CallExpression', 'NewExpression'])
const LATER = /^(?:ArrowFunctionExpression|Function)/

interface AnyNode {
  readonly type: string
  readonly start: number
  readonly end: number
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const isOpaque = (node: AnyNode): boolean =>
  (OPAQUE.has(node.type) && [...evaluated(node)].some(({ type }) => type === 'Identifier')) ||
  (node.type === 'TemplateLiteral' && (node as ESTree.TemplateLiteral).expressions.length > 0)

/** What is evaluated with an expression: no function's body, and not the callee of a call that may be left out. */
function* evaluated(node: AnyNode): Generator<AnyNode> {
  if (LATER.test(node.type)) return
  yield node
  for (const [key, child] of Object.entries(node))
    if (key !== 'callee') for (const each of [child].flat()) if (isNode(each)) yield* evaluated(each)
}

/** Marks the calls, and wraps the whole where that does not say enough. */
function marks(expression: AnyNode): Insertion[] {
  const nodes = [...evaluated(expression)]
  const calls = nodes.filter(({ type }) => CALLS.has(type)).map(({ start }): Insertion => [start, PURE])
  if (!nodes.some(isOpaque)) return calls
  return [[expression.start, `${PURE}(() => (`], ...calls, [expression.end, '))()']]
}

const hasComputedKeys = ({ body, abstract }: ESTree.Class): boolean =>
  !abstract && body.body.some((member) => 'computed' in member && member.computed)

/** What has to be inserted into a module, in the order of the places. */
export function droppable(program: ESTree.Program): Insertion[] {
  return program.body.flatMap((statement): Insertion[] => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type === 'VariableDeclaration')
      return declared.declarations.flatMap(({ init }) => (init ? marks(init) : []))
    if (declared?.type === 'ClassDeclaration' && hasComputedKeys(declared)) {
      const { start, end, id } = declared
      return [
        [start, `const ${id?.name} = ${PURE}(() => `],
        [end, ')()'],
      ]
    }
    return []
  })
}
