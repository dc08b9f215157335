// What Oxc's lowered `using` calls (`@oxc-project/runtime/helpers/usingCtx`), which the bundle would import otherwise.
export default () => {
  const none = {};
  const resources = [];
  const add = (isAsync, value) => {
    if (value === null || value === undefined) {
      if (isAsync) resources.push({ isAsync, dispose: () => undefined });
      return value;
    }
    const dispose = (isAsync && value[Symbol.asyncDispose]) || value[Symbol.dispose];
    if (typeof dispose !== 'function') throw new TypeError('The value cannot be disposed of.');
    resources.push({ isAsync, dispose: () => dispose.call(value) });
    return value;
  };
  const context = {
    e: none,
    u: (value) => add(false, value),
    a: (value) => add(true, value),
    d: () => {
      const failed = (error) => {
        context.e =
          context.e === none
            ? error
            : Object.assign(new Error('suppressed'), { error, suppressed: context.e });
      };
      const next = () => {
        for (let each = resources.pop(); each !== undefined; each = resources.pop()) {
          try {
            const result = each.dispose();
            if (each.isAsync)
              return Promise.resolve(result).then(next, (error) => {
                failed(error);
                return next();
              });
          } catch (error) {
            failed(error);
          }
        }
        if (context.e !== none) throw context.e;
        return undefined;
      };
      return next();
    },
  };
  return context;
};
