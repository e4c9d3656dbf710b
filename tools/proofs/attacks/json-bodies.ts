/**
 * JSON bodies with values that JSON cannot represent, at any depth. Such a body is rejected, and every other
 * body arrives unchanged.
 */
import { isDeepStrictEqual } from 'node:util'
import { createHttpClient, isHttpError } from '@brokerwire/http'
import { createSigner } from '@brokerwire/signer'
import { readBody, startHttpServer } from '@brokerwire/testing/http-server'
import type { Random } from '../random.ts'
import type { Kind } from './attacks.ts'

/** Values that `JSON.stringify` replaces, omits or rejects. */
const UNSUPPORTED_VALUES: Readonly<Record<string, (random: Random) => unknown>> = {
  'not finite': (random) => random.pick([Number.NaN, 1 / 0, -1 / 0]),
  'lost digits': (random) => random.pick([1, -1]) * (2 ** 53 + random.integer(0, 2 ** 40)),
  'invalid dates': () => new Date(Number.NaN),
  collections: (random) =>
    random.pick([new Map([['a', 1]]), new Set([1]), new URLSearchParams('a=1'), new Headers()]),
  bytes: (random) => random.pick([new Uint8Array(3), Buffer.from('abc'), new ArrayBuffer(3)]),
  'code and symbols': (random) => random.pick([() => 1, Symbol('s'), class {}, 5n]),
  'objects without data': (random) =>
    random.pick([Object(Number.NaN), Promise.resolve(1), /x/, new Error('x')]),
  'returned by toJSON': (random) => ({ toJSON: () => random.pick([Number.NaN, new Map()]) }),
}

/** A value in the request, and the value that the server must receive. */
interface GeneratedValue {
  readonly given: unknown
  readonly arrives: unknown
}

function drawScalar(random: Random): GeneratedValue {
  const number = random.pick([0, random.next(), random.integer(-1000, 1000), 2 ** 53 - 1, 1 - 2 ** 53])
  const plain = random.pick<unknown>([random.text(8), number, true, false, null])
  if (random.chance(0.1)) {
    const date = new Date(random.integer(0, 2 ** 40))
    return { given: date, arrives: date.toISOString() }
  }
  return random.chance(0.1)
    ? { given: { toJSON: () => plain }, arrives: plain }
    : { given: plain, arrives: plain }
}

/** Draws a value inside of at least one array or object. */
function drawTree(random: Random, levels: number): GeneratedValue {
  const children = random.list(random.integer(1, 4), () =>
    levels > 1 && random.chance(0.6) ? drawTree(random, levels - 1) : drawScalar(random),
  )
  if (random.chance(0.5)) {
    return { given: children.map(({ given }) => given), arrives: children.map(({ arrives }) => arrives) }
  }
  const names = children.map(
    (_, at) => random.pick(['__proto__', 'constructor', 'toJSON ', random.text(4)]) + (at || ''),
  )
  const entries = (key: keyof GeneratedValue) => names.map((name, at) => [name, children[at]?.[key]] as const)
  return {
    given: { ...Object.fromEntries(entries('given')), left_out: undefined },
    arrives: Object.fromEntries(entries('arrives')),
  }
}

/** Replaces a random value of a tree. */
function replaceSomeValue(random: Random, tree: unknown, value: unknown): void {
  let container = tree as Record<string, unknown>
  for (;;) {
    const key = random.pick(Object.keys(container))
    const child = container[key]
    const isTree =
      typeof child === 'object' && child !== null && Object.keys(child).length > 0 && !('toJSON' in child)
    if (isTree && random.chance(0.7)) container = child as Record<string, unknown>
    else {
      container[key] = value
      return
    }
  }
}

export const jsonBodies: Kind = {
  name: 'json-bodies',
  promise:
    'a JSON body arrives with the values that the caller passed, or is rejected with the path of a value before the request is sent',
  counts: [3000, 300],
  async run(context) {
    const arrived: string[] = []
    const server = await startHttpServer(async (request, response) => {
      arrived.push((await readBody(request)).toString())
      response.end('{}')
    })
    context.atEnd(() => server.close())
    const signer = createSigner({ appKey: 'attacked', appSecret: 'secret' })
    const client = createHttpClient({ baseUrl: server.url, signer })
    const random = context.random.fork('json')
    for (let attack = 0; attack < context.total; attack += 1) {
      const { given, arrives } = drawTree(random, 4)
      const sort = random.chance(0.3) ? undefined : random.pick(Object.keys(UNSUPPORTED_VALUES))
      if (sort !== undefined) replaceSomeValue(random, given, UNSUPPORTED_VALUES[sort]?.(random))
      context.attack(sort ?? 'valid bodies')
      arrived.length = 0
      const error: unknown = await client
        .request({ method: 'POST', path: '/orders', json: given, authenticated: false })
        .then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
      if (sort === undefined) {
        const [body = ''] = arrived
        if (error !== undefined) context.fail(`a valid body is rejected: ${String(error)}`)
        else if (!isDeepStrictEqual(JSON.parse(body), arrives)) context.fail(`another body arrived: ${body}`)
      } else {
        if (arrived.length > 0) context.fail(`${sort}: sent as ${arrived[0]}`)
        if (!isHttpError(error, 'HTTP_OPTION_INVALID')) context.fail(`${sort}: ${String(error)}`)
        else if (!/^json[.[]/.test(error.details.option)) context.fail(`${sort}: no path, ${error.message}`)
      }
    }
  },
}
