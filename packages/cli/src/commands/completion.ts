/** `brokerwire completion SHELL`, and the hidden command that its script calls on TAB. */
import { SHELLS } from '../completion/shells.ts'
import type { CommandDefinition } from '../frame/definition.ts'

export const completion: readonly CommandDefinition[] = [
  {
    name: 'completion',
    summary: 'print a script that lets a shell complete commands, options and values',
    details: ['The script asks this program on each TAB; it needs `brokerwire` on the path.'],
    args: [{ name: '<shell>', help: 'which shell', choices: SHELLS }],
    examples: [
      { does: 'bash: in ~/.bashrc', line: 'source <(brokerwire completion bash)' },
      { does: 'zsh: in ~/.zshrc, behind compinit', line: 'source <(brokerwire completion zsh)' },
      {
        does: 'fish: once',
        line: 'brokerwire completion fish > ~/.config/fish/completions/brokerwire.fish',
      },
    ],
    load: () => import('../run/completion.ts'),
  },
  {
    name: 'complete',
    summary: 'print what the last word may become, a value and its help a line',
    args: [{ name: '[word...]', help: 'what stands behind the program on the line' }],
    examples: [{ does: 'names of modules', line: "brokerwire complete -- listen module --modules ''" }],
    hidden: true,
    load: () => import('../run/complete.ts'),
  },
]
