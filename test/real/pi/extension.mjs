// An extension of pi, loaded by the scenarios: what only an extension or a person at the tree can write into a
// session. Commands work in the TUI and in RPC mode; words of a prompt do the rest.

/** @param pi the API of pi's extensions */
export default function extendPi(pi) {
  const command = (name, handler) =>
    pi.registerCommand(name, { description: `rig: ${name}`, handler })
  command('back', async (args, context) => {
    const [word, how] = args.split(' ')
    await context.waitForIdle()
    await context.navigateTree(findEntry(context, word).id, { summarize: how === 'summary' })
  })
  command('mark', (args, context) => {
    const [word, label] = args.split(' ')
    pi.setLabel(findEntry(context, word).id, label)
  })
  command('note', (args) =>
    pi.sendMessage({ customType: 'rig-note', content: args, display: true }),
  )
  command('state', () => pi.appendEntry('rig-state', { count: 1 }))
  command('warm', (_, context) =>
    context.sessionManager.appendUsage('cache_warm', 'fake', 'fake', makeUsage()),
  )
  command('only', (args) => pi.setActiveTools(args.split(' ')))

  let prompt = ''
  pi.on('before_agent_start', (event) => {
    prompt = event.prompt ?? ''
    const section = /\bSECTION (\S+) (\S+)/.exec(prompt)
    if (section !== null)
      event.systemPromptOptions.sections = {
        ...event.systemPromptOptions.sections,
        [section[1]]: section[2],
      }
  })
  // pi lets extensions edit what the model sees when a turn has ended.
  pi.on('agent_before_settle', (event, context) => {
    const drafts = [...prompt.matchAll(/\b(OMIT|REPLACE) (\S+)/g)].map(([, action, word]) => ({
      type: 'context_edit',
      targetId: findEntry(context, word).id,
      replacement: action === 'OMIT' ? null : { content: `replaced ${word}` },
    }))
    if (/\bFORGET\b/.test(prompt))
      drafts.push({ type: 'compaction', summary: 'All of it, in a line.' })
    prompt = ''
    return drafts.length === 0 ? undefined : { entries: [...event.entries, ...drafts] }
  })
}

/** The first entry of the branch whose content has that word. */
function findEntry(context, word) {
  const found = context.sessionManager
    .getBranch()
    .find((entry) => JSON.stringify(entry.message?.content ?? entry.content ?? '').includes(word))
  if (found === undefined) throw new Error(`no entry has ${word}`)
  return found
}

function makeUsage() {
  return {
    input: 3,
    output: 2,
    cacheRead: 500,
    cacheWrite: 0,
    totalTokens: 505,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  }
}
