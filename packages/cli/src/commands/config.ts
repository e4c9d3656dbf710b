/** `brokerwire config`: profiles with settings. */
import type { ArgumentDefinition, CommandDefinition } from '../frame/definition.ts'
import { JSON_OPTION } from '../frame/setting-options.ts'

const KEY: ArgumentDefinition = { name: '<key>', help: 'name of a setting', completes: 'settings' }

export const config: readonly CommandDefinition[] = [
  {
    name: 'config set',
    summary: 'keep a setting in a profile',
    details: [
      'The app secret is no argument, because a process list shows arguments to everyone: it is asked for without an echo, or read from standard input. The file with the profiles is readable by its owner alone (mode 0600). Processes that set something at the same time take turns.',
    ],
    args: [
      KEY,
      {
        name: '[value]',
        help: 'its value; the app secret has none here',
        completes: 'setting-values',
      },
    ],
    options: [{ flags: '--unset', help: 'take the setting out of the profile' }],
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
    summary: 'print the value of a setting, wherever it comes from; status 1 where there is none',
    args: [KEY],
    options: [{ flags: '--reveal', help: 'print the app secret, too' }],
    examples: [{ does: 'the region that commands would use here', line: 'brokerwire config get region' }],
    load: () => import('../run/config-get.ts'),
  },
  {
    name: 'config list',
    summary: 'print every setting, and where its value comes from',
    options: [JSON_OPTION],
    examples: [
      { does: 'what commands would use here', line: 'brokerwire config list' },
      { does: 'the same with another profile', line: 'brokerwire config list --profile work' },
    ],
    load: () => import('../run/config-list.ts'),
  },
  {
    name: 'config path',
    summary: 'print the path of the file with the profiles',
    examples: [{ does: 'where the profiles are', line: 'brokerwire config path' }],
    load: () => import('../run/config-path.ts'),
  },
]
