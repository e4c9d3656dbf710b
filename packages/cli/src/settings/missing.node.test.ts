/** A first run without credentials: one message lists everything that is missing, with all ways to set it. */
import { describe, expect, test } from 'vitest'
import { run } from '../test/run.ts'

const SIMULATE =
  'No credentials yet? `brokerwire simulate` starts a local service and prints lines that set all of these.'
const WAYS = 'Set each with a flag, a variable or `brokerwire config set`'

describe('a command without any setting', () => {
  test.each([
    ['doctor'],
    ['listen module'],
    ['token create'],
    ['token status'],
    ['client-token status anna'],
    ['request GET /openapi/config'],
  ])('%s lists all values that a connection needs', async (line) => {
    const { status, out, err } = await run(line.split(' '))
    expect({ status, out }).toEqual({ status: 2, out: [] })
    expect(err).toEqual([
      `CLI_VALUE_MISSING: missing: app key, app secret, region and environment. ${WAYS}`,
      '               flag                                variable                config set',
      '  app key      --app-key <key>                     BROKERWIRE_APP_KEY      app-key',
      '  app secret   --app-secret-file <file>            BROKERWIRE_APP_SECRET   app-secret',
      '  region       --region <hk|us>                    BROKERWIRE_REGION       region',
      '  environment  --environment <sandbox|production>  BROKERWIRE_ENVIRONMENT  environment',
      SIMULATE,
    ])
  })

  test.each([
    ['sign https://a.example/', 'app key and app secret'],
    ['listen trade', 'app key, app secret, region, environment and accounts'],
    ['listen quotes', 'app key, app secret, region, environment and symbols'],
    ['record position', 'app key, app secret, region, environment, accounts and recording'],
  ])('%s lists the values that this command needs', async (line, names) => {
    const { status, err } = await run(line.split(' '))
    expect({ status, firstErr: err[0], lastErr: err.at(-1) }).toEqual({
      status: 2,
      firstErr: `CLI_VALUE_MISSING: missing: ${names}. ${WAYS}`,
      lastErr: SIMULATE,
    })
    expect(err.length).toBe(3 + names.split(/, | and /).length)
  })
})

test('values that are set are not listed, and a hint about credentials appears only without any', async () => {
  const env = {
    BROKERWIRE_APP_KEY: 'key',
    BROKERWIRE_APP_SECRET: 'correct horse battery staple',
    BROKERWIRE_REGION: 'us',
    BROKERWIRE_ENVIRONMENT: 'sandbox',
  }
  expect((await run(['listen', 'trade'], { env })).err).toEqual([
    'CLI_VALUE_MISSING: missing: accounts. Set it with a flag, a variable or `brokerwire config set`',
    '            flag              variable             config set',
    '  accounts  --accounts <ids>  BROKERWIRE_ACCOUNTS  accounts',
  ])
  expect((await run(['listen', 'quotes'], { env })).err).toEqual([
    'CLI_VALUE_MISSING: missing: symbols. Set it with a flag',
    '  symbols  --symbols <list>',
  ])
})
