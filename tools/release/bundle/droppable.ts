/**
 * Adds marks to the values that a module creates when it is loaded. A mark states that creating the value has
 * no side effects, so that bundlers of users remove unused values. `sideEffects: false` applies to whole
 * files. In a file that contains many modules, each expression needs a mark.
 */
import type { ESTree } from 'rolldown/utils'

/** An offset, and a string to insert there. */
export type Insertion = readonly [at: number, text: string]

const PURE = '/* @__PURE__ */ '

/**
 * Nodes that, from a bundler's point of view, may run code: a getter, an iterator, `toString` or `valueOf`.
 */
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

/**
 * Yields the nodes that are evaluated when an expression is evaluated. Bodies of functions are skipped.
 * Callees are skipped too, because calls are marked.
 */
function* evaluated(node: AnyNode): Generator<AnyNode> {
  if (LATER.test(node.type)) return
  yield node
  for (const [key, child] of Object.entries(node))
    if (key !== 'callee') for (const each of [child].flat()) if (isNode(each)) yield* evaluated(each)
}

/**
 * Marks the calls. If other nodes of the expression may run code too, wraps the whole expression in a marked
 * call.
 */
function marks(expression: AnyNode): Insertion[] {
  const nodes = [...evaluated(expression)]
  const calls = nodes.filter(({ type }) => CALLS.has(type)).map(({ start }): Insertion => [start, PURE])
  if (!nodes.some(isOpaque)) return calls
  return [[expression.start, `${PURE}(() => (`], ...calls, [expression.end, '))()']]
}

const hasComputedKeys = ({ body, abstract }: ESTree.Class): boolean =>
  !abstract && body.body.some((member) => 'computed' in member && member.computed)

/** The insertions for a module, in ascending order. */
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
