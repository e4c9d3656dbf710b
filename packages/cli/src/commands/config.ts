/** `brokerwire config`: profiles with settings. */
import type { ArgumentDefinition, CommandDefinition } from '../frame/definition.ts'
import { JSON_OPTION } from '../frame/setting-options.ts'

const KEY: ArgumentDefinition = { name: '<key>', help: 'name of the setting', completes: 'settings' }

export const config: readonly CommandDefinition[] = [
  {
    name: 'config set',
    summary: 'store a setting in a profile',
    details: [
      'The app secret is not an argument, because a process list shows arguments to everyone. It is read from a prompt without echo, or from standard input. Only its owner can read the profile file (mode 0600). Concurrent changes wait for each other.',
    ],
    args: [
      KEY,
      {
        name: '[value]',
        help: 'value of the setting; not for the app secret',
        completes: 'setting-values',
      },
    ],
    options: [{ flags: '--unset', help: 'remove the setting from the profile' }],
    examples: [
      { does: 'the region of the default profile', line: 'brokerwire config set region us' },
      { does: 'the app secret, from a prompt', line: 'brokerwire config set app-secret' },
      {
        does: 'the app secret of the profile work, from a password manager',
        line: 'pass show brokerage | brokerwire config set app-secret --profile work',
      },
    ],
    load: () => import('../run/config-set.ts'),
  },
  {
    name: 'config get',
    summary: 'print the effective value of a setting; status 1 if it is not set',
    args: [KEY],
    options: [{ flags: '--reveal', help: 'also print the app secret' }],
    examples: [{ does: 'print the region that commands use', line: 'brokerwire config get region' }],
    load: () => import('../run/config-get.ts'),
  },
  {
    name: 'config list',
    summary: 'print all settings and the sources of their values',
    options: [JSON_OPTION],
    examples: [
      { does: 'print the settings that commands use', line: 'brokerwire config list' },
      { does: 'the same with another profile', line: 'brokerwire config list --profile work' },
    ],
    load: () => import('../run/config-list.ts'),
  },
  {
    name: 'config path',
    summary: 'print the path of the profile file',
    examples: [{ does: 'print the path', line: 'brokerwire config path' }],
    load: () => import('../run/config-path.ts'),
  },
]
