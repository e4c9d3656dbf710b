/**
 * The checks of an operation's definition. They report all problems together, because a definition is written
 * in one step.
 */
import { isRecord, knownNames, optionMessage, receivedName, shownName } from '@brokerwire/core/internal'
import { wireName } from './encode.ts'
import { OperationsError } from './operations-error.ts'

const FAMILIES = ['current', 'openapi'] as const
const CONFIDENCES = ['documented', 'official-client', 'observed', 'guessed']
const FIELD_KINDS = [
  'string',
  'secret',
  'decimal',
  'integer',
  'boolean',
  'instant',
  'date',
  'array',
  'object',
]

/**
 * Properties of a definition, and those of an operation, because you may spread an operation into a
 * definition.
 */
const KNOWN = [
  'name',
  'method',
  'paths',
  'apiVersions',
  'authenticated',
  'fields',
  'headers',
  'check',
  'effect',
  'responseSecrets',
  'retry',
  'rateLimits',
  'regions',
  'sources',
  'confidence',
  'decoder',
  'paged',
  'pagination',
  'createRequest',
  'readResponse',
]

/**
 * A path of segments. They consist of characters that need no encoding and of percent-encoded bytes. The
 * segments `.` and `..` are rejected, also if they are percent-encoded, because URL parsers remove them.
 */
const PATH = /^(?:\/(?!(?:\.|%2E){1,2}(?:\/|$))(?:[\w.~-]|%[\dA-F]{2})+)+$/

type Problems = string[]

/** @throws OperationsError `OPERATION_DEFINITION_INVALID` if there are problems. */
export function throwProblems(definition: unknown, problems: readonly string[]): void {
  if (problems.length === 0) return
  const name = isRecord(definition) && typeof definition.name === 'string' ? shownName(definition.name) : '?'
  const message = `the definition of the operation "${name}" is wrong: ${problems.join('; ')}`
  throw new OperationsError('OPERATION_DEFINITION_INVALID', message, {
    details: { operation: name, problems },
  })
}

/** Returns the problems of a definition. */
export function checkDefinition(definition: unknown, decoder: unknown): readonly string[] {
  if (!isRecord(definition)) return [problem('definition', 'an object', definition)]
  const { name, method, apiVersions, fields, sources, rateLimits } = definition
  const problems: Problems = []
  for (const given of Object.keys(definition)) {
    const name = shownName(given)
    if (!KNOWN.includes(given))
      problems.push(`unknown property "${name}". ${knownNames('properties', name, KNOWN)}`)
  }
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name))
    problems.push(problem('name', '1 to 64 letters, digits, ".", "-" or "_"', name))
  requireOneOf(problems, 'method', method, ['GET', 'POST'])
  checkPaths(problems, definition.paths)
  if (isRecord(apiVersions))
    for (const family of FAMILIES)
      requireOneOf(problems, `apiVersions.${family}`, apiVersions[family], [undefined, 'v2', 'v3'])
  else if (apiVersions !== undefined)
    problems.push(problem('apiVersions', 'an object with the version of a family', apiVersions))
  requireOneOf(problems, 'authenticated', definition.authenticated, [undefined, true, false])
  checkFields(problems, fields, 'fields', method === 'GET')
  for (const option of ['headers', 'check'])
    if (definition[option] !== undefined && typeof definition[option] !== 'function')
      problems.push(problem(option, 'a function', definition[option]))
  requireOneOf(problems, 'effect', definition.effect, [undefined, 'orders', 'tokens'])
  requireOneOf(problems, 'retry', definition.retry, ['always', 'unsent', 'never'])
  if (rateLimits !== undefined && typeof rateLimits !== 'function')
    problems.push(...checkRateLimits(rateLimits))
  for (const [list, value] of [
    ['sources', sources],
    ['responseSecrets', definition.responseSecrets ?? []],
  ] as const)
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string' && item !== ''))
      problems.push(problem(list, 'an array of non-empty strings', value))
  requireOneOf(problems, 'confidence', definition.confidence, CONFIDENCES)
  if (!isRecord(decoder) || typeof decoder['~decode'] !== 'function')
    problems.push(problem('decoder', 'a decoder of @brokerwire/payloads', decoder))
  return problems
}

/** Returns the problems of the pagination of an operation whose definition is checked separately. */
export function checkPagination(definition: unknown, pagination: unknown): readonly string[] {
  if (!isRecord(definition) || !isRecord(definition.fields) || !isRecord(definition.paths)) return []
  const { fields, paths } = definition
  const problems: Problems = []
  const isOptional = (name: unknown, family: string): boolean => {
    const field = typeof name === 'string' && Object.hasOwn(fields, name) ? fields[name] : undefined
    return (
      isRecord(field) && field.optional === true && (field.family === undefined || field.family === family)
    )
  }
  if (paths.current !== undefined && !isOptional('paginationKey', 'current'))
    problems.push(
      'fields.paginationKey must be an optional field of the path family "current", which its pages need',
    )
  const { paginationKey } = fields
  if (isRecord(paginationKey) && (paginationKey.wire ?? 'pagination_key') !== 'pagination_key')
    problems.push(
      'fields.paginationKey must be "pagination_key" on the wire, the name that responses have; remove "wire"',
    )
  if (pagination === undefined && paths.openapi === undefined) return problems
  if (!isRecord(pagination)) return [...problems, problem('pagination', 'an object', pagination)]
  if (paths.openapi !== undefined)
    for (const option of ['cursor', 'pageSize'])
      if (!isOptional(pagination[option], 'openapi'))
        problems.push(
          problem(
            `pagination.${option}`,
            'the name of an optional field of the path family "openapi"',
            pagination[option],
          ),
        )
  if (typeof pagination.idOf !== 'function')
    problems.push(problem('pagination.idOf', 'a function', pagination.idOf))
  if (!isPositiveInteger(pagination.defaultPageSize))
    problems.push(problem('pagination.defaultPageSize', 'a whole number above 0', pagination.defaultPageSize))
  return problems
}

/**
 * Returns the problem of an operation without pages that was spread from one with pages. Its decoder reads one item, and the
 * response is a list.
 */
export const checkNoPagination = (definition: unknown): readonly string[] =>
  isRecord(definition) && definition.paged !== undefined
    ? ['paged must not be set; use definePagedOperation for a list with pages']
    : []

/** Returns the problems of rate limits, also of those that a function of the input returned. */
export function checkRateLimits(rateLimits: unknown): readonly string[] {
  if (!isRecord(rateLimits))
    return [
      problem('rateLimits', 'an object of limits by region, or a function that returns one', rateLimits),
    ]
  const problems: Problems = []
  for (const region of ['us', 'hk', 'sandbox']) {
    const given = rateLimits[region]
    if (given === undefined && region !== 'us') continue
    const path = `rateLimits.${region}`
    if (!isRecord(given)) {
      problems.push(problem(path, 'an object with limit and windowMs', given))
      continue
    }
    const { limit, windowMs, counter } = given
    if (!isPositiveInteger(limit)) problems.push(problem(`${path}.limit`, 'a whole number above 0', limit))
    if (!Number.isFinite(windowMs) || Number(windowMs) <= 0)
      problems.push(problem(`${path}.windowMs`, 'a number of milliseconds above 0', windowMs))
    if (counter !== undefined && (typeof counter !== 'string' || counter === ''))
      problems.push(problem(`${path}.counter`, 'a non-empty string', counter))
  }
  return problems
}

function checkPaths(problems: Problems, paths: unknown): void {
  if (!isRecord(paths) || FAMILIES.every((family) => paths[family] === undefined)) {
    problems.push(problem('paths', 'an object with a path for "current", "openapi" or both', paths))
    return
  }
  for (const family of FAMILIES) {
    const path = paths[family]
    if (path !== undefined && (typeof path !== 'string' || !PATH.test(path)))
      problems.push(
        problem(
          `paths.${family}`,
          'a fixed path such as "/trading/orders/place", without a query and a slash at the end',
          path,
        ),
      )
  }
  for (const family of Object.keys(paths)) requireOneOf(problems, 'each name in paths', family, FAMILIES)
}

/** @param isQuery - Whether the fields are sent in a query, which cannot contain objects. */
function checkFields(problems: Problems, fields: unknown, path: string, isQuery: boolean): void {
  if (!isRecord(fields)) {
    problems.push(problem(path, 'an object of fields', fields))
    return
  }
  const entries = Object.entries(fields)
  for (const [name, given] of entries) {
    if (!/^[a-z][a-zA-Z\d]*$/.test(name) || name === 'extraFields')
      problems.push(
        `each name in ${path} must be in camelCase and not "extraFields"; received "${shownName(name)}"`,
      )
    else if (/[A-Z]{2}/.test(name) && isRecord(given) && given.wire === undefined)
      problems.push(
        `${path}.${shownName(name)} would be sent as "${shownName(wireName(name, {}))}"; write only the first letter of an abbreviation in upper case, or set "wire"`,
      )
    checkField(problems, given, `${path}.${name}`, isQuery)
  }
  const wires = entries.flatMap(([name, given]) => {
    if (!isRecord(given)) return []
    const { wire, family } = given
    return [{ name, family, wire: wireName(name, typeof wire === 'string' ? { wire } : {}) }]
  })
  wires.forEach(({ name, family, wire }, index) => {
    const earlier = wires
      .slice(0, index)
      .find((other) => other.wire === wire && (other.family ?? family) === (family ?? other.family))
    if (earlier !== undefined)
      problems.push(
        `${path}.${name} must have another name on the wire; ${path}.${earlier.name} is "${wire}" too`,
      )
  })
}

function checkField(problems: Problems, given: unknown, path: string, isQuery: boolean): void {
  if (!isRecord(given) || !FIELD_KINDS.some((kind) => kind === given.kind)) {
    problems.push(problem(path, 'a field, such as field.string()', given))
    return
  }
  const { kind, wire, values, format, range, item } = given
  if (wire !== undefined && (typeof wire !== 'string' || wire === '' || wire === '__proto__'))
    problems.push(problem(`${path}.wire`, 'a non-empty string, except "__proto__"', wire))
  requireOneOf(problems, `${path}.optional`, given.optional, [true, false])
  requireOneOf(problems, `${path}.family`, given.family, [undefined, ...FAMILIES])
  requireOneOf(problems, `${path}.confidence`, given.confidence, [undefined, ...CONFIDENCES])
  if (values !== undefined && (!Array.isArray(values) || !values.every((value) => typeof value === 'string')))
    problems.push(problem(`${path}.values`, 'an array of strings', values))
  // The flags g and y are rejected, because a pattern with one of them keeps a position between two tests.
  if (format !== undefined && !isFormat(format))
    problems.push(
      `${path}.format must have a pattern without the flags "g" and "y", and a description "expected"`,
    )
  if (range !== undefined && !isRange(range, kind === 'array' ? 0 : Number.MIN_SAFE_INTEGER))
    problems.push(`${path}.range must have a smallest and a largest whole number`)
  if (isQuery && (kind === 'object' || (path.endsWith('[]') && kind === 'array')))
    problems.push(`${path} must not be an ${kind}, because a GET sends its fields as a query`)
  else if (kind === 'object') checkFields(problems, given.fields, path, isQuery)
  else if (kind === 'array') checkField(problems, item, `${path}[]`, isQuery)
}

const isFormat = (format: unknown): boolean =>
  isRecord(format) &&
  format.pattern instanceof RegExp &&
  !/[gy]/.test(format.pattern.flags) &&
  typeof format.expected === 'string' &&
  format.expected !== ''

function isRange(range: unknown, least: number): boolean {
  if (!Array.isArray(range) || range.length !== 2) return false
  const [min, max] = range
  return Number.isSafeInteger(min) && Number.isSafeInteger(max) && least <= min && min <= max
}

const isPositiveInteger = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0

const problem = (path: string, expected: string, value: unknown): string =>
  optionMessage(path, expected, receivedName(value))

function requireOneOf(problems: Problems, path: string, value: unknown, values: readonly unknown[]): void {
  if (values.includes(value)) return
  const known = values.filter((item) => item !== undefined)
  const expected = known.map((item) => (typeof item === 'string' ? `"${item}"` : String(item))).join(' or ')
  problems.push(problem(path, expected, value))
}
