#include <memory>

#include <tirb/builder.h>
#include <tirb/dlpack.h>

struct release {
    void operator()(tirb_engine *engine) const { tirb_engine_release(engine); }
    void operator()(tirb_dl_managed_v1 *tensor) const { tensor->deleter(tensor); }
};

int main() {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_engine *engine = nullptr;
    if (tirb_engine_create(nullptr, &engine, &error) != TIRB_OK) return 1;
    std::unique_ptr<tirb_engine, release> own_engine(engine);
    const int64_t shape[] = {2, 3};
    tirb_dl_managed_v1 *tensor = nullptr;
    if (tirb_tensor_create_v1(engine, DLDataType{kDLFloat, 32, 1}, shape, 2, &tensor, &error) != TIRB_OK) return 1;
    std::unique_ptr<tirb_dl_managed_v1, release> own_tensor(tensor);
    tirb_arg arg;
    return tirb_arg_from_managed_v1(tensor, &arg) && arg.value.tensor->shape[1] == 3 ? 0 : 1;
}
