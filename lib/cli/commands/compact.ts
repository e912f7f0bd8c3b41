// A summary in the place of what it sums up.

import { refuseTogether } from '../arguments.js'
import { type Call, type Command, UsageError } from '../command.js'
import { EXIT } from '../exit-codes.js'

const LESSON = `The summary is yours (--summary-file), or that of a summarizer, which is one of these:
  extractive          no model: prompts, last words, tools and files, word for word
  ollama:MODEL        a model of Ollama on this machine
  openai:MODEL        OpenAI, with the key in OPENAI_API_KEY
  anthropic:MODEL     Anthropic, with the key in ANTHROPIC_API_KEY
@URL behind the model names another server that speaks the same API; it is given the key, too.
Of several, separated by commas, each is asked when those before it failed. If all fail, a note
stands in, more is kept, and --retry makes up for it later.

Without --keep, --keep-from, --up-to or --from your summary stands for everything; a summarizer
leaves the last tenth. A call is never parted from its result. The session is locked only while
the result is written. Nothing is deleted: \`jsonl-session show --raw\` still prints it all.

Examples:
  $ jsonl-session compact demo --summarizer ollama:qwen2.5:7b,extractive --keep 30%
  compacted demo: 42 messages are 14 now, about 24,800 tokens 6,300; boundary c1d80b1e-…

  $ jsonl-session compact demo --plan --up-to 6a4f0c58-2c06-4a57-8d1a-3b1d6a0e5c11
  demo: 42 messages, about 24,800 tokens (±6,200, estimated from their bytes)
    summed up  35 messages, 22,900 tokens: 0b0e7a52-… to 6a4f0c58-…
    kept       7 messages, 1,900 tokens: from 91aa0d1f-…
    saved      20,900 tokens, with a summary of 2,000
  nothing was written

Exit codes:
  0 compacted, planned or made up for · 1 --retry, and there is nothing to make up for
  2 wrong use, nothing to compact, or failed · 3 no such session or message
  5 another process has it open
`

export const compact: Command = {
  name: 'compact',
  summary: 'Let a summary stand for older messages of a session; nothing is deleted',
  operand: '<session>',
  operandText: 'the session',
  options: [
    { name: 'summary-file', value: 'F', text: 'the text of the summary; - reads it from stdin' },
    { name: 'summarizer', value: 'S', text: 'who makes the summary: see below' },
    { name: 'plan', text: 'only show what would be summed up and kept; write nothing' },
    { name: 'keep', value: 'N%', text: 'keep this share of the messages, the last ones' },
    { name: 'keep-from', value: 'U', text: 'keep this message and what follows it' },
    { name: 'up-to', value: 'U', text: 'sum up to this message, and keep what follows it' },
    { name: 'from', value: 'U', text: 'sum up from this message on, and keep what is before it' },
    { name: 'retry', text: 'make up for summaries that could not be had; needs --summarizer' },
  ],
  lesson: LESSON,

  async run(call) {
    refuseContradictions(call)
    if (call.has('plan')) {
      const { printPlan } = await import('../compact-plan.js')
      return printPlan(call)
    }
    if (call.has('retry')) {
      const { retrySummaries } = await import('../compact-summarized.js')
      return retrySummaries(call)
    }
    if (call.value('summarizer') !== undefined) {
      const { compactSummarized } = await import('../compact-summarized.js')
      return compactSummarized(call)
    }
    if (call.value('summary-file') === undefined) {
      throw new UsageError(
        'compact needs a summary: --summary-file notes.md, --summary-file - to read it from stdin, ' +
          'or --summarizer extractive',
      )
    }
    const { compactGiven } = await import('../compact-given.js')
    await compactGiven(call)
    return EXIT.done
  },
}

/** There is one cut, one summary and one thing to do. */
const ALTERNATIVES = [
  ['keep', 'keep-from', 'up-to', 'from', 'retry'],
  ['summary-file', 'summarizer'],
  ['plan', 'retry'],
  ['summary-file', 'retry'],
  ['summary-file', 'plan'],
  ['keep-from', 'summarizer'],
  ['keep-from', 'plan'],
]

function refuseContradictions(call: Call): void {
  for (const names of ALTERNATIVES) {
    for (const [index, name] of names.entries()) {
      for (const other of names.slice(index + 1)) refuseTogether(call, name, other)
    }
  }
}
