import { expect, test } from 'vitest'
import { COMMANDS } from '../commands/index.ts'
import { loadCommands } from '../commands/load-commands.ts'
import { complete } from './complete.ts'

const values = async (source: string, before: readonly string[]) =>
  ({
    modules: ['funding', 'journal', 'trade'],
    profiles: ['default', 'work'],
    settings: ['region', 'store'],
    'setting-values': before[0] === 'region' ? ['hk', 'us'] : [],
  })[source] ?? []

/** Splits the line at spaces, as a shell does; the last word is completed. */
const at = async (line: string) => {
  const words = line.split(' ')
  const { candidates, ...rest } = await complete(
    words,
    await loadCommands(['complete', '--', ...words]),
    values,
  )
  return [candidates.map(({ value }) => value), rest] as const
}

test.each([
  ['tok', ['token']],
  ['token c', ['create', 'check']],
  ['si', ['sign', 'simulate']],
  ['--profile work token w', ['wait']],
  ['listen ', ['trade', 'position', 'account', 'module', 'quotes']],
  ['listen --json t', ['trade']],
  ['listen --count 3 t', ['trade']],
  ['listen module --mod', ['--modules', '--module-events-url']],
  ['listen module --modules f', ['funding']],
  ['listen module --modules funding,', ['funding,journal', 'funding,trade']],
  ['listen module --modules=j', ['--modules=journal']],
  ['listen module --modules = j', ['journal']],
  ['listen module --modules =', ['funding', 'journal', 'trade']],
  ['listen --region ', ['hk', 'us']],
  ['--color n', ['never']],
  ['request --profile w', ['work']],
  ['config set r', ['region']],
  ['config set region ', ['hk', 'us']],
  ['config set store ', []],
  ['simulate ap', ['approve']],
  ['simulate --environment p', ['production']],
  ['simulate --algorithms ', ['HMAC-SHA1', 'HMAC-SHA256']],
  ['simulate --algorithms HMAC-SHA256,', ['HMAC-SHA256,HMAC-SHA1']],
  ['simulate --algorithms=HMAC-SHA1,H', ['--algorithms=HMAC-SHA1,HMAC-SHA256']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['token create x', []],
  ['record ', ['trade', 'position', 'account', 'module']],
  ['record trade --sy', []],
  ['listen trade --sy', []],
  ['listen quotes --sy', ['--symbols']],
  ['listen --sy', ['--symbols']],
  ['listen quotes --c', ['--category', '--count', '--create', '--color']],
  ['listen -- --j', []],
  ['listen nothing --count ', []],
  ['nothing ', []],
])('%j is completed with %j', async (line, expected) => {
  const [found] = await at(line)
  expect(found).toEqual(expected)
})

test('hidden commands and options that were given are not offered', async () => {
  expect((await at('comp'))[0]).toEqual(['compare', 'completion'])
  expect((await at('listen --json --js'))[0]).toEqual([])
  expect((await at('request GET / --query a=b --qu'))[0]).toEqual(['--query'])
  expect((await at('token --h'))[0]).toEqual(['--help'])
})

test.each([
  ['vectors a.json b', 'files'],
  ['compare ', 'files'],
  ['sign https://a --body-file ', 'files'],
  ['sign --body-file=x', 'files'],
  ['token status --store ', 'directories'],
])('%j is completed by the shell with its %s', async (line, paths) => {
  expect(await at(line)).toEqual([[], { paths }])
})

test('the operations of api complete their fields, and the options of api', async () => {
  expect((await at('api orders.p'))[0]).toEqual(['orders.preview', 'orders.place'])
  expect((await at('api orders.cancel --client'))[0]).toEqual([
    '--client-order-id',
    '--client-combo-order-id',
  ])
  expect((await at('api orders.place --side '))[0]).toEqual(['BUY', 'SELL', 'SHORT'])
  expect((await at('api orders.cancel --account A1 --dry'))[0]).toEqual(['--dry-run'])
  expect((await at('api stocks.snapshots --extend-hour-required '))[0]).toEqual(['true', 'false'])
})

test('every option and argument for a file or a directory completes paths', async () => {
  for (const { name, options = [] } of COMMANDS) {
    for (const { flags } of options.filter((one) => /<(file|directory)>/.test(one.flags))) {
      const [, { paths }] = await at(`${name} ${flags.split(' ')[0]} `)
      expect({ flags, paths }).toEqual({ flags, paths: flags.includes('<file>') ? 'files' : 'directories' })
    }
  }
})
