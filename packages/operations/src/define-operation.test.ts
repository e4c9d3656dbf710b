/** Checks of definitions: all problems are reported at once, each with its property. */
import { describe, expect, test } from 'vitest'
import {
  defineOperation,
  definePagedOperation,
  field,
  isOperationsError,
  listAccounts,
  listOrderHistory,
  placeOrder,
} from './index.ts'

const GOOD = {
  name: 'watchlists.list',
  method: 'GET',
  paths: { current: '/trading/watchlists/list' },
  fields: { accountId: field.string() },
  retry: 'always',
  sources: ['my notes'],
  confidence: 'observed',
} as const

/** The problems of a call that must fail. */
function problemsOf(define: () => unknown): readonly string[] {
  try {
    define()
  } catch (error) {
    if (!isOperationsError(error, 'OPERATION_DEFINITION_INVALID')) throw error
    for (const problem of error.details.problems) expect(error.message).toContain(problem)
    return error.details.problems
  }
  return []
}

const problemsWith = (more: object, decoder: unknown = listAccounts.decoder): readonly string[] =>
  problemsOf(() => defineOperation({ ...GOOD, ...more } as never, decoder as never))

describe('a definition', () => {
  test('without a problem is accepted', () => {
    expect(problemsWith({})).toEqual([])
    expect(
      problemsWith({ fields: { orderID: field.required(field.string(), { wire: 'orderID' }) } }),
    ).toEqual([])
    expect(
      problemsWith({
        paths: { openapi: '/a/b-c_d~e/%2F.json' },
        apiVersions: { current: 'v2', openapi: 'v3' },
      }),
    ).toEqual([])
  })

  test.each([
    [{ name: '' }, 'name must be 1 to 64 letters, digits, ".", "-" or "_"; received an empty string'],
    [{ name: 'a b' }, 'name must be 1 to 64 letters'],
    [{ method: 'PUT' }, 'method must be "GET" or "POST"; received "PUT"'],
    [{ paths: {} }, 'paths must be an object with a path for "current", "openapi" or both'],
    [{ paths: { current: 'trading/orders' } }, 'paths.current must be a fixed path such as'],
    [{ paths: { current: '/a?b=c' } }, 'paths.current must be a fixed path such as'],
    [{ paths: { current: '/a/../b' } }, 'paths.current must be a fixed path such as'],
    [{ paths: { current: '/a/%2' } }, 'paths.current must be a fixed path such as'],
    [{ paths: { current: '/a/.%2E/b' } }, 'paths.current must be a fixed path such as'],
    [{ paged: true }, 'paged must not be set; use definePagedOperation for a list with pages'],
    [
      { paths: { current: '/a', new: '/b' } },
      'each name in paths must be "current" or "openapi"; received "new"',
    ],
    [
      { apiVersions: { current: 'v4', openapi: 'v2' } },
      'apiVersions.current must be "v2" or "v3"; received "v4"',
    ],
    [{ apiVersions: 'v2' }, 'apiVersions must be an object with the version of a family; received "v2"'],
    [{ authenticated: 'no' }, 'authenticated must be true or false; received "no"'],
    [{ headers: {} }, 'headers must be a function; received an object'],
    [{ check: true }, 'check must be a function; received true'],
    [{ effect: 'money' }, 'effect must be "orders" or "tokens"; received "money"'],
    [{ retry: 'sometimes' }, 'retry must be "always" or "unsent" or "never"; received "sometimes"'],
    [{ sources: 'notes' }, 'sources must be an array of non-empty strings'],
    [
      { confidence: 'sure' },
      'confidence must be "documented" or "official-client" or "observed" or "guessed"',
    ],
    [{ ratelimits: {} }, 'unknown property "ratelimits". Did you mean "rateLimits"?'],
    [{ rateLimits: {} }, 'rateLimits.us must be an object with limit and windowMs; received undefined'],
    [
      { rateLimits: { us: { limit: 0, windowMs: 1000 } } },
      'rateLimits.us.limit must be a whole number above 0; received 0',
    ],
    [
      { rateLimits: { us: { limit: 1, windowMs: Number.POSITIVE_INFINITY } } },
      'rateLimits.us.windowMs must be a number of milliseconds above 0; received Infinity',
    ],
    [
      { rateLimits: { us: { limit: 1, windowMs: 1 }, hk: { limit: Number.NaN, windowMs: 1 } } },
      'rateLimits.hk.limit must be a whole number above 0; received NaN',
    ],
    [
      { rateLimits: { us: { limit: 1, windowMs: 1, counter: '' } } },
      'rateLimits.us.counter must be a non-empty string',
    ],
    [{ fields: undefined }, 'fields must be an object of fields; received undefined'],
    [
      { fields: { account_id: field.string() } },
      'each name in fields must be in camelCase and not "extraFields"; received "account_id"',
    ],
    [
      { fields: { clientOrderID: field.string() } },
      'fields.clientOrderID would be sent as "client_order_i_d"; write only the first letter of an abbreviation in upper case, or set "wire"',
    ],
    [
      { fields: { extraFields: field.string() } },
      'each name in fields must be in camelCase and not "extraFields"',
    ],
    [
      { fields: { accountId: field.string } },
      'fields.accountId must be a field, such as field.string(); received a function',
    ],
    [
      { fields: { accountId: { kind: 'text', optional: false } } },
      'fields.accountId must be a field, such as field.string()',
    ],
    [
      { fields: { one: field.optional(field.string(), { wire: 'x' }), x: field.string() } },
      'fields.x must have another name on the wire; fields.one is "x" too',
    ],
    [
      { fields: { one: field.optional(field.string(), { wire: '' }) } },
      'fields.one.wire must be a non-empty string',
    ],
    [
      { fields: { one: field.optional(field.string(), { wire: '__proto__' }) } },
      'fields.one.wire must be a non-empty string, except "__proto__"; received "__proto__"',
    ],
    [
      { fields: { one: field.optional(field.string(), { family: 'old' as never }) } },
      'fields.one.family must be "current" or "openapi"; received "old"',
    ],
    [
      { fields: { one: field.integer(5, 1) } },
      'fields.one.range must have a smallest and a largest whole number',
    ],
    [
      { fields: { one: field.array(field.string(), [-1, 5]) } },
      'fields.one.range must have a smallest and a largest whole number',
    ],
    [
      { fields: { one: field.string({ pattern: /a/g, expected: 'a' }) } },
      'fields.one.format must have a pattern without the flags "g" and "y"',
    ],
    [
      { fields: { one: field.object({}) } },
      'fields.one must not be an object, because a GET sends its fields as a query',
    ],
    [
      { fields: { one: field.array(field.object({}), [1, 2]) } },
      'fields.one[] must not be an object, because a GET',
    ],
    [
      { method: 'POST', fields: { one: field.array(field.object({ A: field.string() }), [1, 2]) } },
      'each name in fields.one[] must be in camelCase',
    ],
  ])('%o is rejected', (more, expected) => {
    const problems = problemsWith(more)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(expected)
  })

  test('must have a decoder', () => {
    expect(problemsWith({}, {})).toEqual([
      'decoder must be a decoder of @brokerwire/payloads; received an object',
    ])
  })

  test('reports all problems at once', () => {
    const problems = problemsWith({ name: '', method: 'put', fields: { a: 1, B: field.string() } })
    expect(problems).toHaveLength(4)
  })

  test.each([undefined, null, 'x'])('must be an object: %o', (definition) => {
    expect(problemsOf(() => defineOperation(definition as never, listAccounts.decoder))).toEqual([
      expect.stringContaining('definition must be an object'),
    ])
  })

  test('may have the same name on the wire in different families', () => {
    const fields = {
      one: field.optional(field.string(), { wire: 'x', family: 'current' }),
      other: field.optional(field.string(), { wire: 'x', family: 'openapi' }),
    }
    expect(problemsWith({ fields })).toEqual([])
  })

  test('may be an operation of the table with another path', () => {
    const { decoder } = placeOrder
    expect(problemsOf(() => defineOperation({ ...placeOrder, paths: { current: '/x' } }, decoder))).toEqual(
      [],
    )
  })

  test('with a function of rate limits has them checked when a request is created', () => {
    const broken = defineOperation(
      { ...GOOD, rateLimits: () => ({ us: { limit: -1, windowMs: 1 } }) },
      listAccounts.decoder,
    )
    expect(problemsOf(() => broken.createRequest({ accountId: 'A1' }, { pathFamily: 'current' }))).toEqual([
      'rateLimits.us.limit must be a whole number above 0; received -1',
    ])
  })
})

describe('a pagination', () => {
  const { decoder, pagination, fields } = listOrderHistory
  const problemsWithPages = (more: object, definition: object = {}): readonly string[] =>
    problemsOf(() =>
      definePagedOperation({ ...listOrderHistory, ...definition } as never, decoder, {
        ...pagination,
        ...more,
      } as never),
    )

  test('without a problem is accepted', () => {
    expect(problemsWithPages({})).toEqual([])
  })

  test.each([
    [
      { cursor: 'lastId' },
      'pagination.cursor must be the name of an optional field of the path family "openapi"; received "lastId"',
    ],
    [{ cursor: 'accountId' }, 'pagination.cursor must be the name of an optional field'],
    [{ pageSize: 'paginationKey' }, 'pagination.pageSize must be the name of an optional field'],
    [{ idOf: 'id' }, 'pagination.idOf must be a function'],
    [{ defaultPageSize: 0 }, 'pagination.defaultPageSize must be a whole number above 0; received 0'],
  ])('%o is rejected', (more, expected) => {
    expect(problemsWithPages(more)).toEqual([expect.stringContaining(expected)])
  })

  test('needs the field of the cursor in the current path family', () => {
    const { paginationKey: _, ...others } = fields
    expect(problemsWithPages({}, { fields: others })).toEqual([
      expect.stringContaining('fields.paginationKey must be an optional field'),
    ])
  })

  test('must not send its cursor by another name, because the response is read by "pagination_key"', () => {
    const paginationKey = field.optional(field.string(), { wire: 'cursor' })
    expect(problemsWithPages({}, { fields: { ...fields, paginationKey } })).toEqual([
      'fields.paginationKey must be "pagination_key" on the wire, the name that responses have; remove "wire"',
    ])
  })

  test('of the current path family alone needs no id of the last item', () => {
    expect(problemsWithPages({ cursor: '' }, { paths: { current: '/x' } })).toEqual([])
  })

  test('must be an object if there is a path in the earlier path family', () => {
    expect(problemsOf(() => definePagedOperation(listOrderHistory, decoder))).toEqual([
      'pagination must be an object; received undefined',
    ])
    expect(problemsOf(() => definePagedOperation(listOrderHistory, decoder, 'none' as never))).toHaveLength(1)
  })

  test('is not needed in the current path family', () => {
    const paths = { current: '/trading/transfers/list' }
    expect(problemsOf(() => definePagedOperation({ ...listOrderHistory, paths }, decoder))).toEqual([])
  })
})
