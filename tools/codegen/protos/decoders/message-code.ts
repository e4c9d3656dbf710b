/**
 * The code for one message: its type, and a function that reads it. Values gather in variables and the message is
 * made at the end, in one piece: all messages of a type then have one shape, and no property is written twice.
 */
import type { DescMessage, DescOneof } from '@bufbuild/protobuf'
import { type FieldCode, fieldCode, requireProto3 } from './fields.ts'
import { functionName, typeName, variableName } from './names.ts'

/** @throws Error that names the field, where the schema has what the generator does not take. */
export function messageCode(message: DescMessage): string {
  requireProto3(message)
  const members = message.members.map((member) =>
    member.kind === 'oneof' ? oneofCode(member) : memberCode(fieldCode(member)),
  )
  const always = members.filter(({ optional }) => !optional)
  const name = typeName(message)
  const previous = merged(message) ? `, previous?: ${name}` : ''
  return [
    `type ${name} = Message<'${message.typeName}'> & {`,
    ...members.map(({ property, type, optional }) => `${property}${optional ? '?' : ''}: ${type}`),
    '}',
    '',
    `function ${functionName(message)}(reader: RangeReader, end: number, depth: number${previous}): ${name} {`,
    `if (depth > MAX_DEPTH) tooDeep('${message.typeName}')`,
    ...members.map((member) => declaration(member, previous !== '')),
    `let unknown: UnknownField[] | undefined${previous === '' ? '' : ' = previous?.$unknown'}`,
    'while (reader.pos < end) {',
    'const tag = reader.tag()',
    'switch (tag >>> 3) {',
    ...members.flatMap(({ cases }) => cases),
    'default:',
    'unknown = withUnknown(reader.unknown(tag, MAX_DEPTH - depth), unknown)',
    '}',
    '}',
    `const message: ${name} = { $typeName: '${message.typeName}',`,
    ...always.map(({ property, variable }) => `${property === variable ? '' : `${property}: `}${variable},`),
    '}',
    ...members
      .filter(({ optional }) => optional)
      .map(({ property, variable }) => `if (${variable} !== undefined) message.${property} = ${variable}`),
    'if (unknown !== undefined) message.$unknown = unknown',
    'return message',
    '}',
  ].join('\n')
}

/** Texts of a message, by their names as properties. */
export interface TextsByFields {
  /** Found among those that came before. */
  readonly known: readonly string[]
  /** Where its bytes are is noted. */
  readonly name: string
}

/**
 * A function that reads the message and makes no message of it: `make` is handed the value of every field. 64-bit
 * integers are numbers where a number holds them.
 *
 * @throws Error where a field is no single scalar, or one that is named no text.
 */
export function fieldsCode(message: DescMessage, { known, name }: TextsByFields): string {
  requireProto3(message)
  const fields = message.members.map((member) => {
    const field = member.kind === 'field' ? fieldCode(member) : undefined
    if (field?.value.kind !== 'scalar' || field.repeated || field.optional) {
      throw new Error(`${message.typeName}.${member.name}: only single scalars are handed on by themselves`)
    }
    const { scalar } = field.value
    const variable = variableName(field.property)
    if (scalar.method === 'string' && field.property !== name && known.includes(field.property))
      return { field, variable, ...scalar, read: 'knownString(texts)' }
    if (scalar.method === 'string') return { field, variable, ...scalar, read: 'cutString(texts)' }
    if (scalar.method !== 'int64') return { field, variable, ...scalar, read: `${scalar.method}()` }
    return { field, variable, type: 'number | bigint', zero: '0', read: 'wholeNumber()' }
  })
  const ways = [...known.map((text) => [text, 'known'] as const), [name, 'cut'] as const]
  for (const [text, way] of ways) {
    if (fields.some(({ field, read }) => field.property === text && read.startsWith(way))) continue
    throw new Error(`${message.typeName}.${text}: no text that could be known`)
  }
  return [
    `/** The fields of \`${message.typeName}\`, for who makes something else of them. */`,
    `export function fieldsOf${typeName(message)}<T>(bytes: Buffer, start: number, end: number, texts: KnownTexts,`,
    'make: (',
    ...fields.map(({ variable, type }) => `${variable}: ${type},`),
    'unknown: UnknownField[] | undefined) => T): T {',
    'const reader = new RangeReader(bytes, start, end)',
    'texts.begin(start)',
    ...fields.map(({ variable, type, zero }) => `let ${variable}: ${type} = ${zero}`),
    'let unknown: UnknownField[] | undefined',
    'while (reader.pos < end) {',
    'const tag = reader.tag()',
    'switch (tag >>> 3) {',
    ...fields.flatMap(({ field, variable, read }) => [
      `case ${field.number}:`,
      `${variable} = reader.${read}`,
      ...(field.property === name ? ['texts.nameStart = texts.textStart', 'texts.nameEnd = reader.pos'] : []),
      'break',
    ]),
    'default:',
    'unknown = withUnknown(reader.unknown(tag, MAX_DEPTH - 1), unknown)',
    '}',
    '}',
    `return make(${fields.map(({ variable }) => variable).join(', ')}, unknown)`,
    '}',
  ].join('\n')
}

/** A property of the message, and the code that fills it. */
interface Member {
  readonly property: string
  readonly variable: string
  readonly type: string
  readonly optional: boolean
  readonly list: boolean
  /** What the property is when no field came. */
  readonly zero: string
  readonly cases: readonly string[]
}

function declaration({ property, variable, type, optional, list, zero }: Member, merges: boolean): string {
  const declared = `${list ? 'const' : 'let'} ${variable}: ${type}${optional ? ' | undefined' : ''}`
  if (optional) return merges ? `${declared} = previous?.${property}` : declared
  return merges
    ? `${declared} = previous === undefined ? ${zero} : previous.${property}`
    : `${declared} = ${zero}`
}

function memberCode(field: FieldCode): Member {
  const { property, value, repeated, optional } = field
  const variable = variableName(property)
  const type = typeOf(field)
  return {
    property,
    variable,
    type: repeated ? `${type}[]` : type,
    optional,
    list: repeated,
    zero: repeated ? '[]' : value.kind === 'scalar' ? value.scalar.zero : 'undefined',
    cases: [
      `case ${field.number}:`,
      ...(repeated ? pushes(field, variable) : [`${variable} = ${read(field, variable)}`]),
      'break',
    ],
  }
}

function oneofCode(oneof: DescOneof): Member {
  const variable = variableName(oneof.localName)
  const fields = oneof.fields.map(fieldCode)
  const choices = fields.map((field) => `{ case: '${field.property}'; value: ${typeOf(field)} }`)
  return {
    property: oneof.localName,
    variable,
    type: [...choices, '{ case: undefined; value?: undefined }'].join(' | '),
    optional: false,
    list: false,
    zero: '{ case: undefined }',
    cases: fields.flatMap((field) => {
      // A message that comes twice is merged; another member of the choice drops it.
      const before = `${variable}.case === '${field.property}' ? ${variable}.value : undefined`
      return [
        `case ${field.number}:`,
        `${variable} = { case: '${field.property}', value: ${read(field, before)} }`,
        'break',
      ]
    }),
  }
}

function typeOf({ value }: FieldCode): string {
  return value.kind === 'scalar' ? value.scalar.type : typeName(value.message)
}

/** @param before - What a message is merged into. */
function read({ value }: FieldCode, before?: string): string {
  if (value.kind === 'scalar') return `reader.${value.scalar.method}()`
  const merge = before === undefined ? '' : `, ${before}`
  return `${functionName(value.message)}(reader, reader.limit(), depth + 1${merge})`
}

function pushes(field: FieldCode, variable: string): string[] {
  const push = `${variable}.push(${read(field)})`
  if (field.value.kind === 'message' || !field.value.packable) return [push]
  // By the wire type alone, whatever the schema says of packing.
  return [
    'if ((tag & 7) === 2) {',
    'for (let limit = reader.limit(); reader.pos < limit; ) {',
    push,
    '}',
    '} else {',
    push,
    '}',
  ]
}

/** Whether some field of the file holds one message of this type, so that a second one is merged into the first. */
function merged(message: DescMessage): boolean {
  const messages = [...message.file.messages]
  for (const outer of messages) {
    messages.push(...outer.nestedMessages)
    if (outer.fields.some((field) => field.fieldKind === 'message' && field.message === message)) return true
  }
  return false
}
