// The reference: the API description in Scalar, which asks nobody but the platform it is of.
const read = async (path) => {
  const answer = await fetch(path, { headers: { Accept: 'application/json' } });
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
  return answer;
};

// The first paragraph says what the API is. The rules that follow go behind the guides, so that the operations come first.
const show = async () => {
  const [api, guides] = [await (await read('/v1/openapi.json')).json(), await (await read('/_local/guides')).text()];
  const [what, ...rules] = api.info.description.split('\n\n');
  api.info.description = what;
  // Links of the guides lead to other files of the project, which are not served here.
  const text = `${guides.replaceAll(/\[([^\]]+)\]\(\.[^)]*\)/g, '`$1`')}\n# All rules\n\n${rules.join('\n\n')}`;

  // How the client of this repository asks for an operation.
  const typescript = (method, path, { parameters = [], requestBody }) => {
    const named = parameters.filter(({ in: place, required }) => place === 'path' && required).map(({ name }) => `${name}: 1`);
    const options = [
      ...(named.length ? [`params: { path: { ${named.join(', ')} } }`] : []),
      ...(requestBody?.content?.['application/json'] ? ['body: { /* … */ }'] : []),
    ];
    return `const answer = await tenantry.${method}('${path}'${options.length ? `, { ${options.join(', ')} }` : ''});`;
  };
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (operation.operationId) {
        operation['x-codeSamples'] = [{ lang: 'TypeScript', label: 'TypeScript', source: typescript(method, path, operation) }];
      }
    }
  }

  // Of the languages that Scalar can write, those that the guides name.
  const others = ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'js', 'kotlin', 'node', 'objc', 'ocaml',
    'php', 'powershell', 'r', 'ruby', 'rust', 'swift'];

  const configuration = {
    withDefaultFonts: false,
    telemetry: false,
    showDeveloperTools: 'never',
    documentDownloadType: 'none',
    hideClientButton: true,
    persistAuth: true,
    defaultOpenFirstTag: false, // an open tag renders all of its operations, which takes seconds
    orderSchemaPropertiesBy: 'preserve',
    hiddenClients: {
      ...Object.fromEntries(others.map((name) => [name, true])), shell: ['httpie', 'wget'],
      python: ['python3', 'httpx_sync', 'httpx_async', 'aiohttp'],
    },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    authentication: { preferredSecurityScheme: 'bearer' },
  };
  const sources = [
    { title: 'Operations', slug: 'operations', content: api, default: true, agent: { disabled: true } },
    {
      title: 'Guides', slug: 'guides', agent: { disabled: true },
      content: { openapi: api.openapi, info: { title: 'Guides', version: api.info.version, description: text }, paths: {} },
    },
  ];
  document.getElementById('description').replaceChildren();
  const page = Scalar.createApiReference('#description', { ...configuration, sources });

  const button = document.getElementById('demo');
  const says = document.getElementById('authorized');
  button.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      const { username, password } = await (await read('/_local/demo/')).json();
      const answer = await fetch('/v1/auth/login/', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ username, password }),
      });
      if (!answer.ok) throw new Error(`the sign-in answers ${answer.status}`);
      const { access } = await answer.json();
      page.updateConfiguration({
        ...configuration, sources, authentication: { ...configuration.authentication, securitySchemes: { bearer: { token: access } } },
      });
      says.textContent = `Authorized as ${username} for an hour.`;
    } catch (fault) {
      says.textContent = fault.message;
    } finally {
      button.disabled = false;
    }
  });
};

show().catch((fault) => { document.getElementById('description').textContent = fault.message; });
