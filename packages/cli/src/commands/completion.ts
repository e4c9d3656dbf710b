/** `brokerwire completion SHELL`, and the hidden command that its script calls on TAB. */
import { SHELLS } from '../completion/shells.ts'
import type { CommandDefinition } from '../frame/definition.ts'

export const completion: readonly CommandDefinition[] = [
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    details: ['The script calls this program on each TAB, so `brokerwire` must be in PATH.'],
    args: [{ name: '<shell>', help: 'the shell', choices: SHELLS }],
    examples: [
      { does: 'bash: in ~/.bashrc', line: 'source <(brokerwire completion bash)' },
      { does: 'zsh: in ~/.zshrc, after compinit', line: 'source <(brokerwire completion zsh)' },
      {
        does: 'fish: once',
        line: 'brokerwire completion fish > ~/.config/fish/completions/brokerwire.fish',
      },
    ],
    load: () => import('../run/completion.ts'),
  },
  {
    name: 'complete',
    summary: 'print the completions of the last word, one per line',
    args: [{ name: '[word...]', help: 'the words after the name of the program' }],
    examples: [{ does: 'names of modules', line: "brokerwire complete -- listen module --modules ''" }],
    hidden: true,
    load: () => import('../run/complete.ts'),
  },
]
