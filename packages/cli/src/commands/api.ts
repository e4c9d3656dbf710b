/** `brokerwire api`: the operations of the table as commands. */
import type { CommandDefinition } from '../frame/definition.ts'
import { JSON_OPTION } from '../frame/setting-options.ts'
import { REVEAL_OPTION, STORE_OPTIONS } from '../frame/store-options.ts'
import { requestTime, wholeNumber } from '../number-option.ts'

export const api: CommandDefinition = {
  name: 'api',
  summary: 'call an operation of the service by its name',
  details: [
    'The operations, their fields and their sources are those of @brokerwire/operations; nothing in this table was tried against the live service. `brokerwire api OPERATION --help` lists the fields of an operation as flags. A value that the table does not list is sent with a warning: the service decides.',
    'In production, an operation that changes something, such as orders.place, asks before it sends the request. A script must use --yes.',
    'If the outcome of such a request is unknown, for example after a lost response, a line states that the order may have been placed. Failed requests with an effect are sent again only if they were never sent.',
  ],
  args: [{ name: '[operation]', help: 'name of the operation, such as orders.place' }],
  options: [
    { flags: '--list', help: 'list the operations: name, method, path, confidence, description' },
    {
      ...JSON_OPTION,
      help: 'print the decoded response as JSON; decimals are strings. With --all: one line for each item',
    },
    { flags: '--raw', help: 'print the body of the response as it was received' },
    { flags: '--all', help: 'request all pages of a list' },
    {
      flags: '--max-items <count>',
      help: 'with --all: stop after this number of items; default: 1000',
      parse: wholeNumber(1, 10_000_000),
    },
    {
      flags: '--input <file>',
      help: 'JSON file with fields by their names in the table; flags override it; - reads standard input',
    },
    {
      flags: '--field <name=value>',
      help: 'a field by its name in the table; an object or a list of objects is JSON',
      repeats: true,
    },
    {
      flags: '--extra <name=value>',
      help: 'a field that the table does not know, by its name on the wire; name:=value is JSON; newOrders.name=value is a field of the order',
      repeats: true,
    },
    {
      flags: '--path-family <family>',
      help: 'which paths are used; default: current',
      choices: ['current', 'openapi'],
    },
    { flags: '--allow-guessed', help: 'allow fields that no source shows' },
    { flags: '--dry-run', help: 'print the signed request, and send nothing' },
    { flags: '--yes', help: 'do not ask before a change in production' },
    { ...REVEAL_OPTION, help: 'also print tokens in the response' },
    { flags: '--create', help: 'create a token if none is stored, and wait for its second factor' },
    {
      flags: '--timeout <duration>',
      help: 'time limit of each attempt, at most 1d',
      parse: requestTime(),
      defaultValue: '30s',
    },
    ...STORE_OPTIONS,
  ],
  examples: [
    { does: 'all operations, with their paths and confidence', line: 'brokerwire api --list' },
    {
      does: 'all orders of an account, one a line',
      line: 'brokerwire api orders.history --account A1 --all --json',
    },
    {
      does: 'the signed request of a cancellation',
      line: 'brokerwire api orders.cancel --account A1 --client-order-id my-order-1 --dry-run',
    },
    {
      does: 'an order from a file, as JSON with the names of the table',
      line: 'brokerwire api orders.place --input order.json',
    },
  ],
  load: () => import('../run/api.ts'),
}
