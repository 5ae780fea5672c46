# Modules and a script that imports them as one text in an array of C:
# -DMODULES=a.py;b.py -DSCRIPT=file.py -DNAME=array -DOUTPUT=file.c
set(text "import sys, types\n")
foreach(file IN LISTS MODULES)
    get_filename_component(module ${file} NAME_WE)
    file(READ ${file} content)
    if(content MATCHES "'''")
        message(FATAL_ERROR "${file}: a module is a raw string of Python between three of these: '''")
    endif()
    string(APPEND text "sys.modules['${module}'] = types.ModuleType('${module}')\n"
        "exec(r'''${content}''', vars(sys.modules['${module}']))\n")
endforeach()
string(HEX "${text}" bytes)
file(READ ${SCRIPT} script HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}${script}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
